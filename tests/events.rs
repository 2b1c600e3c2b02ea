//! Event files: what is written comes back, and what is damaged is refused.

#![allow(clippy::unwrap_used)]

use std::fs;

use proptest::prelude::*;
use rescorla::internals::error::{Error, Result};
use rescorla::internals::events::EventFile;
use rescorla::internals::events::chunk::Body;
use rescorla::internals::events::open;
use rescorla::internals::events::write::{Duplicates, EventWriter};
use rescorla::internals::monitor::Monitor;

type Event = (Vec<String>, Vec<String>, u32);

fn write(writer: &mut EventWriter, events: &[Event]) -> Result<()> {
    for (cues, outcomes, frequency) in events {
        cues.iter().try_for_each(|name| writer.cue(name))?;
        outcomes.iter().try_for_each(|name| writer.outcome(name))?;
        writer.end_event((*frequency).into())?;
    }
    Ok(())
}

fn compile(events: &[Event], duplicates: Duplicates) -> EventFile {
    let mut writer = EventWriter::new(None, duplicates, None).unwrap();
    write(&mut writer, events).unwrap();
    writer.finish().unwrap()
}

fn read(file: &EventFile) -> Result<Vec<Event>> {
    let mut events = Vec::new();
    file.for_each(0..file.len(), |_, cues, outcomes, frequency| {
        let cues = cues.iter().map(|&id| file.cues().name(id).unwrap().to_owned()).collect();
        let outcomes = outcomes.iter().map(|&id| file.outcomes().name(id).unwrap().to_owned()).collect();
        events.push((cues, outcomes, frequency));
        Ok(())
    })?;
    Ok(events)
}

fn without_repetitions(names: &[String]) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for name in names {
        if !kept.contains(name) {
            kept.push(name.clone());
        }
    }
    kept
}

fn names() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("[a-dä]{0,2}", 0..5)
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let few_types = prop::collection::vec((names(), names(), 0_u32..4), 1..4);
    let varied = prop::collection::vec((names(), names(), 0_u32..4), 0..30);
    let repeated = few_types.prop_flat_map(|types| prop::collection::vec(prop::sample::select(types), 0..40));
    prop_oneof![varied, repeated]
}

/// Opens and reads everything, as a learner does.
fn read_all(bytes: &[u8]) -> Result<Vec<Event>> {
    let file = EventFile::open(bytes.to_vec(), None)?;
    file.verify(&Monitor::new())?;
    read(&file)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn events_come_back(events in events(), keep in any::<bool>()) {
        let duplicates = if keep { Duplicates::Keep } else { Duplicates::Drop };
        let expected: Vec<Event> = events
            .iter()
            .map(|(cues, outcomes, frequency)| {
                let kept = |names: &Vec<String>| if keep { names.clone() } else { without_repetitions(names) };
                (kept(cues), kept(outcomes), *frequency)
            })
            .collect();
        let file = compile(&events, duplicates);
        prop_assert_eq!(read_all(file.bytes().unwrap()).unwrap(), expected.clone());
        let tokens: u64 = expected.iter().map(|event| u64::from(event.2)).sum();
        prop_assert_eq!(file.header().n_tokens, tokens);
    }

    #[test]
    fn the_same_events_give_the_same_bytes_in_memory_and_on_disk(events in events()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events");
        let mut writer = EventWriter::new(Some(&path), Duplicates::Drop, None).unwrap();
        write(&mut writer, &events).unwrap();
        let file = writer.finish().unwrap();
        let in_memory = compile(&events, Duplicates::Drop);
        prop_assert_eq!(file.bytes(), in_memory.bytes());
        prop_assert_eq!(file.path(), Some(path.as_path()));
    }

    #[test]
    fn a_changed_file_is_refused(events in events(), at in any::<prop::sample::Index>(), with in 1_u8..) {
        let mut bytes = compile(&events, Duplicates::Keep).bytes().unwrap().to_vec();
        let at = at.index(bytes.len());
        bytes[at] ^= with;
        prop_assert!(matches!(read_all(&bytes), Err(Error::Format(_))), "byte {}", at);
    }

    #[test]
    fn any_bytes_are_refused_or_read(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(matches!(read_all(&bytes), Err(Error::Format(_))));
    }
}

#[test]
fn every_truncation_and_every_bit_is_noticed() {
    let event = |cues: &str, outcomes: &str, frequency| {
        let split = |names: &str| names.split('_').map(str::to_owned).collect();
        (split(cues), split(outcomes), frequency)
    };
    let repeated: Vec<Event> = (0..9).map(|i| event("a_b_c", "x", 1 + i % 2)).collect();
    let unique: Vec<Event> = (0..300).map(|i| event(&format!("a_c{i}"), &format!("o{i}"), 1)).collect();
    for (events, has_types) in [(repeated, true), (unique, false)] {
        let file = compile(&events, Duplicates::Drop);
        assert_eq!(file.header().has_types(), has_types);
        let bytes = file.bytes().unwrap();
        for length in 0..bytes.len() {
            assert!(matches!(read_all(&bytes[..length]), Err(Error::Format(_))), "cut at {length}");
        }
        let mut longer = bytes.to_vec();
        longer.push(0);
        assert!(matches!(read_all(&longer), Err(Error::Format(_))));
        let mut broken = bytes.to_vec();
        for bit in 0..bytes.len() * 8 {
            broken[bit / 8] ^= 1 << (bit % 8);
            assert!(matches!(read_all(&broken), Err(Error::Format(_))), "bit {bit}");
            broken[bit / 8] ^= 1 << (bit % 8);
        }
    }
}

#[test]
fn many_events_make_several_chunks_in_either_encoding() {
    // With 69,993 = 21 * 3,333 types the dictionary takes several chunks too.
    for n_types in [700_u32, 69_993, 100_000] {
        let events: Vec<Event> = (0..150_000_u32)
            .map(|i| {
                (vec![format!("c{}", i % n_types), format!("d{}", i % 3)], vec![format!("o{}", i % 7)], 1)
            })
            .collect();
        let file = compile(&events, Duplicates::Drop);
        assert_eq!(file.n_chunks(), 3);
        assert_eq!(file.header().has_types(), n_types < 75_000);
        file.verify(&Monitor::new()).unwrap();
        assert!(read(&file).unwrap() == events);
        assert_eq!(file.chunk_with(65_535), 0);
        assert_eq!(file.chunk_with(65_536), 1);
        assert_eq!(file.events_of(2), 131_072..150_000);
        let mut seen = Vec::new();
        file.for_each(65_530..65_540, |event, _, _, _| {
            seen.push(event);
            Ok(())
        })
        .unwrap();
        assert!(seen.into_iter().eq(65_530..65_540));
    }
}

#[test]
fn the_dictionary_is_dropped_in_the_middle_when_it_grows_and_does_not_pay() {
    // 64 MiB of types that never come again: the writer judges, reads its own chunks back and writes them in full.
    let mut writer = EventWriter::new(None, Duplicates::Keep, None).unwrap();
    let names: Vec<String> = (0..1000).map(|i| format!("c{i}")).collect();
    let place = |i: usize, k: usize| if k == 0 { i / 1000 } else { (i * k + k * k) % 1000 };
    let n_events = 70_000;
    for i in 0..n_events {
        for k in 0..250 {
            writer.cue(&names[place(i, k)]).unwrap();
        }
        writer.outcome(&names[i % 1000]).unwrap();
        writer.end_event(1).unwrap();
    }
    let file = writer.finish().unwrap();
    assert!(!file.header().has_types());
    file.verify(&Monitor::new()).unwrap();
    let mut seen = 0;
    file.for_each(0..file.len(), |i, cues, outcomes, _| {
        let i = i as usize;
        for (k, &cue) in cues.iter().enumerate() {
            assert_eq!(file.cues().name(cue), Some(names[place(i, k)].as_str()));
        }
        assert_eq!(file.outcomes().name(outcomes[0]), Some(names[i % 1000].as_str()));
        seen += 1;
        Ok(())
    })
    .unwrap();
    assert_eq!(seen, n_events);
}

#[test]
fn a_name_twice_follows_the_policy() {
    let twice = |name: &str| vec![name.to_owned(); 2];
    let events = [(twice("a"), twice("x"), 1)];
    let dropped = read(&compile(&events, Duplicates::Drop)).unwrap();
    assert_eq!((&dropped[0].0[..], &dropped[0].1[..]), (&["a".to_owned()][..], &["x".to_owned()][..]));
    let kept = compile(&events, Duplicates::Keep);
    assert_eq!(read(&kept).unwrap()[0], events[0]);
    assert_eq!((kept.cues().counts(), kept.outcomes().counts()), (&[2][..], &[2][..]));
    let mut writer = EventWriter::new(None, Duplicates::Error, None).unwrap();
    writer.cue("a").unwrap();
    let message = writer.cue("a").unwrap_err().to_string();
    assert_eq!(
        message,
        "expected every cue of an event once, found \"a\" twice; let duplicates be \"drop\" to count it once, or \"keep\" to \
         count it as often as it is named"
    );
    writer.outcome("x").unwrap();
    assert!(writer.outcome("x").is_err());
}

#[test]
fn the_background_is_in_every_event() {
    let mut writer = EventWriter::new(None, Duplicates::Drop, Some("bg")).unwrap();
    let events = [(vec!["a".into()], vec!["x".into()], 1), (vec!["bg".into(), "b".into()], vec![], 2)];
    write(&mut writer, &events).unwrap();
    let read = read(&writer.finish().unwrap()).unwrap();
    assert_eq!(read[0].0, ["bg", "a"]);
    assert_eq!(read[1].0, ["bg", "b"]);
}

#[test]
fn an_unfinished_file_leaves_the_old_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("events");
    fs::write(&path, "old").unwrap();
    let mut writer = EventWriter::new(Some(&path), Duplicates::Drop, None).unwrap();
    writer.cue("a").unwrap();
    drop(writer);
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn frequencies_have_a_limit_with_a_cure() {
    let mut writer = EventWriter::new(None, Duplicates::Drop, None).unwrap();
    let message = writer.end_event(1 << 32).unwrap_err().to_string();
    assert!(
        message.starts_with("expected a frequency of at most 4,294,967,295, found 4294967296"),
        "{message}"
    );
    writer.end_event(u64::from(u32::MAX)).unwrap();
}

#[test]
fn missing_files_and_folders_are_named() {
    let folder = tempfile::tempdir().unwrap();
    for path in [folder.path().join("none"), folder.path().to_path_buf()] {
        assert!(matches!(open::open(&path), Err(Error::Io { path: named, .. }) if named == path));
    }
    let inside = folder.path().join("none").join("events");
    assert!(matches!(EventWriter::new(Some(&inside), Duplicates::Drop, None), Err(Error::Io { .. })));
    let empty = folder.path().join("empty");
    fs::write(&empty, "").unwrap();
    assert!(matches!(open::open(&empty), Err(Error::Format(_))));
}

#[test]
fn tables_have_the_same_bytes_every_time_and_refuse_names_that_do_not_fit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table");
    let events = [(vec!["a".into(), "b".into()], vec!["x".into()], 1), (vec![], vec!["y".into()], 0)];
    compile(&events, Duplicates::Drop).to_table(&path, &Monitor::new()).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "cues\toutcomes\tfrequency\na_b\tx\t1\n\ty\t0\n");
    compile(&events[..1], Duplicates::Drop).to_table(&path, &Monitor::new()).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "cues\toutcomes\na_b\tx\n");
    for name in ["", "a_b", "a\tb", "a\nb", "a\r"] {
        let events = [(vec![name.to_owned()], vec![], 1)];
        let refused = compile(&events, Duplicates::Drop).to_table(&path, &Monitor::new());
        assert!(matches!(refused, Err(Error::Format(_))), "{name:?}");
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), "cues\toutcomes\na_b\tx\n");
}

#[test]
fn tokens_are_chosen_by_size() {
    let one = |i: u32| (vec![format!("c{i}")], vec![format!("o{i}")], 1);
    let unique = compile(&(0..100).map(one).collect::<Vec<_>>(), Duplicates::Drop);
    assert!(matches!(unique.chunk(0).unwrap().body, Body::Full(_)));
    let repeated = compile(&(0..100).map(|i| one(i % 10)).collect::<Vec<_>>(), Duplicates::Drop);
    assert!(matches!(repeated.chunk(0).unwrap().body, Body::Types(_)));
    assert!(repeated.header().n_types == 10);
}
