//! Event tables: what is read, what is refused and with which words, and what a file is taken for.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use proptest::collection::vec;
use proptest::prelude::*;
use rescorla::internals::error::{Defect, Error, Place, Result};
use rescorla::internals::events::format::MAGIC;
use rescorla::internals::events::write::{Duplicates, EventWriter};
use rescorla::internals::monitor::Monitor;
use rescorla::internals::text::kind::{Kind, look};
use rescorla::internals::text::source::{MAX_HEADER, MAX_PIECE};
use rescorla::internals::text::tables::{Column, Layout, read, read_as, split_names};
use rescorla::internals::vocab::Vocab;
use tempfile::TempDir;

type Event = (Vec<String>, Vec<String>, u32);

/// A file in a folder of its own; its name says nothing of its content.
fn file(content: &[u8]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, content).unwrap();
    (folder, path)
}

fn events_at(path: &Path) -> Result<Vec<Event>> {
    let mut writer = keeping();
    read(path, &mut writer, &Monitor::new())?;
    written(writer)
}

fn keeping() -> EventWriter {
    EventWriter::new(None, Duplicates::Keep, None).unwrap()
}

fn written(writer: EventWriter) -> Result<Vec<Event>> {
    let (file, mut events) = (writer.finish()?, Vec::new());
    let own = |names: &Vocab, ids: &[u32]| ids.iter().map(|&id| names.name(id).unwrap().to_owned()).collect();
    file.for_each(0..file.len(), |_, cues, outcomes, frequency| {
        events.push((own(file.cues(), cues), own(file.outcomes(), outcomes), frequency));
        Ok(())
    })?;
    Ok(events)
}

fn events(content: impl AsRef<[u8]>) -> Vec<Event> {
    let (_folder, path) = file(content.as_ref());
    events_at(&path).unwrap()
}

fn event(cues: &[&str], outcomes: &[&str], frequency: u32) -> Event {
    let own = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    (own(cues), own(outcomes), frequency)
}

/// The defect of a table, whose path is checked here.
fn defect(content: impl AsRef<[u8]>) -> Defect {
    let (_folder, path) = file(content.as_ref());
    match events_at(&path) {
        Err(Error::Format(defect)) => {
            assert_eq!(defect.path.as_deref(), Some(path.as_path()));
            assert!(!defect.cure.is_empty(), "{defect}");
            *defect
        }
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn refused(content: impl AsRef<[u8]>, line: u64, column: u64, expected: &str, found: &str) {
    let defect = defect(content);
    assert_eq!(defect.place, Some(Place::Line { line, column }), "{defect}");
    assert!(defect.expected.contains(expected), "{defect}");
    assert!(defect.found.contains(found), "{defect}");
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn zstd(content: &[u8]) -> Vec<u8> {
    zstd::stream::encode_all(content, 1).unwrap()
}

fn xz(content: &[u8]) -> Vec<u8> {
    liblzma::encode_all(content, 1).unwrap()
}

/// xz data that announces a dictionary of (2 | size & 1) << (size / 2 + 11) bytes, which its decoder has to hold.
fn xz_with_dictionary(content: &[u8], size: u8) -> Vec<u8> {
    let mut packed = xz(content);
    // The header of the first block: a word's length, flags, the filter, the length of its properties, these.
    let block = 12..12 + 4 * usize::from(packed[12]);
    packed[block.start + 4] = size;
    let mut crc = flate2::Crc::new();
    crc.update(&packed[block.clone()]);
    packed[block.end..block.end + 4].copy_from_slice(&crc.sum().to_le_bytes());
    packed
}

#[test]
fn a_tab_table_is_read() {
    let table = "cues\toutcomes\na_b\tc\n\tx_y\nd\t\ne_e\te";
    let expected = [
        event(&["a", "b"], &["c"], 1),
        event(&[], &["x", "y"], 1),
        event(&["d"], &[], 1),
        event(&["e", "e"], &["e"], 1),
    ];
    assert_eq!(events(table), expected);
    assert_eq!(events(table.replace('\n', "\r\n")), expected);
    assert_eq!(events(format!("\u{feff}{table}\n")), expected);
}

#[test]
fn columns_are_found_by_name() {
    let table = "FREQUENCY\tnote\tOutcomes\tCues\n04294967295\t\"\tc\ta\n0\t__\td\tb\n";
    assert_eq!(events(table), [event(&["a"], &["c"], u32::MAX), event(&["b"], &["d"], 0)]);
    let table = "Id,Outcomes,Cues\n_,c,a\n,d,b\n";
    assert_eq!(events(table), [event(&["a"], &["c"], 1), event(&["b"], &["d"], 1)]);
}

#[test]
fn quotes_mean_nothing_between_tabs() {
    assert_eq!(events("cues\toutcomes\n\"a\t,\"\"\n"), [event(&["\"a"], &[",\"\""], 1)]);
}

#[test]
fn an_r_table_is_read() {
    let table = "\"\",\"Cues\",\"Outcomes\",\"Frequency\"\r\n\
                 \"1\",\"#h_ha\",\"hand_plural\",10\r\n\
                 \"2\",\"a,b_say \"\"a\"\"\",\"line\nbreak\",\"2\"\r\n\
                 3,\"\",é_\u{10d0},0";
    assert_eq!(
        events(table),
        [
            event(&["#h", "ha"], &["hand", "plural"], 10),
            event(&["a,b", "say \"a\""], &["line\nbreak"], 2),
            event(&[], &["é", "\u{10d0}"], 0),
        ]
    );
}

#[test]
fn cells_may_have_semicolons_or_blanks_between() {
    let expected = [event(&["a", "b"], &["c d"], 2), event(&[], &["e"], 1)];
    assert_eq!(events("Cues;Outcomes;Frequency\r\na_b;c d;2\r\n;e;1\r\n"), expected);
    assert_eq!(events("cues;outcomes;frequency\n\"a_b\";\"c d\";2\n;e;1"), expected);
    let expected = [event(&["a", "b"], &["c"], 2), event(&["d"], &["e"], 1)];
    assert_eq!(events("cues outcomes frequency\na_b  c 2 \n d e 1\n"), expected);
    refused("cues;outcomes\na;b;c\n", 2, 5, "2 cells", "one more");
    assert!(defect("cues;outcomes\na;b;c\n").cure.contains("semicolon"));
    refused("cues outcomes\na b\nc d e\n", 1, 1, "names the columns", "cues outcomes");
}

/// What a table of a layout has.
fn with_layout(content: &str, columns: [Option<Column>; 3], header: bool) -> Result<Vec<Event>> {
    let (_folder, path) = file(content.as_bytes());
    let mut writer = keeping();
    read_as(&path, &Layout { columns, header }, None, &mut writer, &Monitor::new())?;
    written(writer)
}

#[test]
fn columns_are_found_by_what_the_caller_says() {
    let name = |name: &str| Some(Column::Name(name.to_owned()));
    let at = |position| Some(Column::At(position));
    let expected = [event(&["a"], &["b"], 3), event(&["c", "d"], &["e"], 4)];
    for (separator, end) in [("\t", "\n"), (",", "\n"), (";", "\r\n"), (" ", "\n")] {
        let rows = [["a", "b", "3"], ["c_d", "e", "4"]].map(|row| row.join(separator)).join(end);
        let table = format!("x{separator}y{separator}n{end}{rows}");
        for columns in
            [[name("x"), name("y"), name("n")], [at(0), at(1), at(2)], [name("x"), at(1), name("n")]]
        {
            assert_eq!(with_layout(&table, columns, true).unwrap(), expected, "{table:?}");
        }
        assert_eq!(with_layout(&rows, [at(0), at(1), at(2)], false).unwrap(), expected, "{rows:?}");
        let swapped = [event(&["b"], &["a"], 1), event(&["e"], &["c", "d"], 1)];
        assert_eq!(with_layout(&rows, [at(1), at(0), None], false).unwrap(), swapped);
    }
    // What is not said is found by its own name.
    let table = "Outcomes,n,x\nb,3,a\ne,4,c_d\n";
    assert_eq!(with_layout(table, [name("x"), None, name("n")], true).unwrap(), expected);
}

#[test]
fn columns_that_are_not_there_are_refused() {
    let name = |name: &str| Some(Column::Name(name.to_owned()));
    for (columns, header, expected) in [
        ([name("z"), None, None], true, "a column named \"z\", found the columns \"x\", \"y\""),
        ([Some(Column::At(2)), name("y"), None], true, "at least 3 columns"),
        ([name("x"), name("x"), None], true, "different columns"),
        ([name("x"), None, None], true, "a column named outcomes"),
        ([Some(Column::At(0)), None, None], false, "a column named outcomes"),
    ] {
        let error = with_layout("x\ty\na\tb\n", columns, header).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn a_limit_stops_reading() {
    let (table, expected) = long_table();
    let rest = table.repeat(8);
    for content in [rest.clone(), stored(&rest)] {
        let (_folder, path) = file(&content);
        for limit in [0, 1, 5, 1000] {
            let (mut kept, monitor) = (keeping(), Monitor::new());
            read_as(&path, &Layout::default(), Some(limit), &mut kept, &monitor).unwrap();
            assert!(written(kept).unwrap() == expected[..limit as usize]);
            let (done, total) = monitor.progress();
            assert_eq!(total, content.len() as u64);
            // What is looked at, and what a decoder takes at once.
            assert!(done < 256 << 10, "{done} of {total}");
        }
        let (mut kept, monitor) = (keeping(), Monitor::new());
        read_as(&path, &Layout::default(), Some(10_000), &mut kept, &monitor).unwrap();
        assert!(written(kept).unwrap() == expected[..10_000]);
        let (done, total) = monitor.progress();
        // A window; of what is packed also the blocks on their way.
        assert!(done < 2 << 20 && done < total / 4, "{done} of {total}");
        let (_folder, path) = file(&table);
        let mut kept = keeping();
        read_as(&path, &Layout::default(), Some(u64::MAX), &mut kept, &Monitor::new()).unwrap();
        assert!(written(kept).unwrap() == expected);
    }
}

#[test]
fn a_header_alone_is_a_table_of_no_events() {
    for header in ["cues\toutcomes", "cues\toutcomes\n", "Cues,Outcomes\r\n"] {
        assert_eq!(events(header), []);
    }
}

#[test]
fn a_first_line_that_is_no_header_is_refused() {
    let expected = "names the columns cues and outcomes";
    refused("", 1, 1, expected, "an empty file");
    refused("\u{feff}", 1, 1, expected, "an empty file");
    refused("\na\tb\n", 1, 1, expected, "\"\"");
    refused("In the beginning\n", 1, 1, expected, "\"In the beginning\"");
    refused("say \"cues\",outcomes\n", 1, 1, expected, "cues");
    refused("é".repeat(100), 1, 1, expected, &format!("\"{}\"...", "é".repeat(40)));
    refused("Cues\tfrequency\n", 1, 1, "a column named outcomes", "\"Cues\", \"frequency\"");
    refused("outcomes,cue\n", 1, 1, "a column named cues", "\"outcomes\", \"cue\"");
    refused("cues\toutcomes\tCUES\n", 1, 15, "one column named cues", "another");
    refused("cues,outcomes,\"outcomes\"\n", 1, 16, "one column named outcomes", "another");
}

#[test]
fn a_row_of_another_width_is_refused() {
    refused("cues\toutcomes\na\tb\nabc\n", 3, 4, "2 cells", "1");
    refused("cues\toutcomes\na\tb\tc\td\n", 2, 5, "2 cells", "one more");
    refused("cues\toutcomes\tfrequency\na\tb\r\n", 2, 4, "3 cells", "2");
    refused("cues,outcomes\na,b\n\"a\nb\"\n", 4, 3, "2 cells", "1");
    refused("cues,outcomes\na,b,c\n", 2, 5, "2 cells", "one more");
}

#[test]
fn an_empty_line_is_refused() {
    refused("cues\toutcomes\na\tb\n\n", 3, 1, "an event", "an empty line");
    refused("cues,outcomes\r\n\r\na,b\r\n", 2, 1, "an event", "an empty line");
}

#[test]
fn bad_utf8_is_refused() {
    refused(b"cues\toutcomes\n\xc3\xa9_\xff\tb\n", 2, 4, "UTF-8", "0xff");
    refused(b"cues\toutcomes\na\tb\xd0", 2, 4, "UTF-8", "0xd0");
    refused(b"cues,outcomes\n\"a\nb\xe9\",c\n", 3, 2, "UTF-8", "0xe9");
    refused(b"\xff\xfec\0u\0", 1, 1, "UTF-8", "0xff");
}

#[test]
fn an_empty_name_is_refused() {
    let header = "cues\toutcomes\n";
    refused(format!("{header}a__b\tc\n"), 2, 3, "a name", "an empty one");
    refused(format!("{header}_a\tc\n"), 2, 1, "a name", "an empty one");
    refused(format!("{header}é\tc_\n"), 2, 6, "a name", "an empty one");
    refused(format!("{header}_\tc\n"), 2, 1, "a name", "an empty one");
    refused("cues,outcomes\n\"\"\"\"\"_x\n_\",c_\n", 3, 2, "a name", "an empty one");
}

#[test]
fn a_bad_frequency_is_refused() {
    for bad in [
        "",
        "-1",
        "+1",
        "1.5",
        "1e-05",
        "-1.0",
        "inf",
        "nan",
        ".",
        "1.0f",
        "1 2",
        "٣",
        "18446744073709551616",
    ] {
        refused(format!("cues\toutcomes\tfrequency\na\tb\t{bad}\n"), 2, 5, "digits", &format!("{bad:?}"));
    }
    refused("frequency,cues,outcomes\n\"x\",a,b\n", 2, 2, "digits", "\"x\"");
}

#[test]
fn a_frequency_may_be_written_as_a_float_that_is_whole() {
    for (written, expected) in
        [("1.0", 1), ("10.", 10), ("1e+05", 100_000), ("2.5e3", 2500), ("0.0", 0), ("4294967295.0", u32::MAX)]
    {
        let table = format!("cues\toutcomes\tfrequency\na\tb\t{written}\n");
        assert_eq!(events(table), [event(&["a"], &["b"], expected)], "{written}");
    }
}

#[test]
fn bad_quotes_are_refused() {
    refused("cues,outcomes\nsay \"a\",b\n", 2, 5, "without quotes", "a quote");
    refused("cues,outcomes\na,b\n\"c\nd,e\n", 3, 1, "a closing quote", "the end of the file");
    refused("cues,outcomes\n\"c\" ,e\n", 2, 4, "a comma", "\" ,e\"");
}

#[test]
fn what_the_writer_refuses_has_its_place() {
    let refused_once = |content: &str, place, found: &str| {
        let (_folder, path) = file(content.as_bytes());
        let mut writer = EventWriter::new(None, Duplicates::Error, None).unwrap();
        let Err(Error::Format(defect)) = read(&path, &mut writer, &Monitor::new()) else { panic!() };
        let (line, column) = place;
        assert_eq!(defect.place, Some(Place::Line { line, column }), "{defect}");
        assert!(defect.found.contains(found), "{defect}");
    };
    refused_once("cues\toutcomes\na\tb\nb_a_b\tb\n", (3, 5), "\"b\" twice");
    refused_once("cues\toutcomes\na\tb_b\n", (2, 5), "\"b\" twice");
    refused_once("cues,outcomes\n\"a\nb_\"\"c_\"\"c\",c\n", (3, 7), "twice");
    let large = "outcomes\tcues\tfrequency\na\tb\t4294967296\n";
    refused(large, 2, 5, "a frequency of at most 4,294,967,295", "4294967296");
}

#[test]
fn a_line_without_end_is_refused() {
    let header = b"cues\toutcomes\n".to_vec();
    let long =
        |n: usize| gzip(&[header.clone(), b"a\tb\n".to_vec(), vec![b'x'; n - 2], b"\ty".to_vec()].concat());
    refused(long(MAX_PIECE + 1), 3, 1, "at most 67108864 bytes", "a longer one");
    let longest = events(long(MAX_PIECE));
    assert_eq!(longest[1].0[0].len(), MAX_PIECE - 2);
    refused(vec![b'x'; MAX_HEADER + 1], 1, 1, "at most 1048576 bytes", "a longer one");
}

#[test]
fn cut_and_damaged_files_are_refused() {
    let table: String = (0..50_000).map(|n| format!("a{n}_b\tc{}\n", n * 7919 % 10_007)).collect();
    let table = format!("cues\toutcomes\n{table}").into_bytes();
    for (packed, format, magic) in
        [(gzip(&table), "gzip", 2), (zstd(&table), "zstd", 4), (xz(&table), "xz", 6)]
    {
        for cut in [3, 4, 6, 9, packed.len() / 2, packed.len() - 1] {
            if cut < magic {
                continue; // Too little to be told from text.
            }
            let defect = defect(&packed[..cut]);
            assert!(defect.expected.contains(format), "{defect}");
            assert!(defect.found.contains("the end of the file"), "{cut}: {defect}");
            assert!(defect.cure.contains("copy"), "{defect}");
            assert!(matches!(defect.place, Some(Place::Line { .. })), "{defect}");
        }
        let mut damaged = packed.clone();
        let middle = packed.len() / 2;
        damaged[middle..middle + 8].fill(0xff);
        // Found by the decoder, or before it by the reader: damage can decode to something.
        let _ = defect(damaged);
    }
    let half = gzip(&table);
    let Some(Place::Line { line, .. }) = defect(&half[..half.len() / 2]).place else { panic!() };
    assert!((10_000..40_000).contains(&line), "{line}");
    let rubbish = defect([gzip(b"cues\toutcomes\na\tb\n"), b"rubbish, and more of it".to_vec()].concat());
    assert!(rubbish.found.contains("damage"), "{rubbish}");
    let rubbish = defect([xz(b"cues\toutcomes\na\tb\n"), b"rubbish, and more of it".to_vec()].concat());
    assert!(rubbish.found.contains("damage"), "{rubbish}");
}

#[test]
fn every_flipped_bit_of_xz_data_is_refused() {
    let packed = xz(b"cues\toutcomes\na_b\tc\na\tb\n");
    for bit in 0..8 * packed.len() {
        let mut damaged = packed.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        let _ = defect(damaged);
    }
}

#[test]
fn xz_data_may_need_some_memory_but_not_any() {
    let table = b"cues\toutcomes\na\tb\n";
    assert_eq!(events(xz_with_dictionary(table, 28)).len(), 1);
    let defect = defect(xz_with_dictionary(table, 31));
    assert!(defect.expected.contains("at most 128 MiB of memory"), "{defect}");
    assert!(defect.cure.contains("xz -9"), "{defect}");
}

#[test]
fn xz_streams_may_be_padded() {
    let padded = [xz(b"cues\toutcomes\n"), vec![0; 8], xz(b"a\tb\n"), vec![0; 4]].concat();
    assert_eq!(events(padded), [event(&["a"], &["b"], 1)]);
}

/// A table of several windows, of which no row is like another, and its rows.
fn long_table() -> (Vec<u8>, Vec<Event>) {
    let rows: Vec<(String, String)> =
        (0..120_000).map(|n| (format!("a{n}"), format!("c{}", n * 7919 % 10_007))).collect();
    let table: String = rows.iter().map(|(a, c)| format!("{a}_b\t{c}\n")).collect();
    let events = rows.iter().map(|(a, c)| event(&[a, "b"], &[c], 1)).collect();
    (format!("cues\toutcomes\n{table}").into_bytes(), events)
}

/// Text that takes as much room as before, so that bytes of the file are bytes of the text.
fn stored(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn a_long_table_comes_back_from_every_encoding_and_from_many_members() {
    let (table, expected) = long_table();
    assert!(table.len() > 5 << 18);
    let parts = [0, 1, 300_000, 1 << 20, table.len()];
    let parts: Vec<&[u8]> = parts.windows(2).map(|part| &table[part[0]..part[1]]).collect();
    let gzips = parts.iter().flat_map(|part| gzip(part)).collect();
    let zstds = parts.iter().flat_map(|part| zstd(part)).collect();
    let xzs = parts.iter().flat_map(|part| xz(part)).collect();
    for content in [stored(&table), gzip(&table), zstd(&table), xz(&table), gzips, zstds, xzs, table] {
        assert!(events(&content) == expected);
    }
}

#[test]
fn a_cut_has_its_place_behind_the_last_byte_of_text() {
    let (table, _) = long_table();
    let packed = stored(&table);
    // Where windows and blocks end, and where stored blocks of deflate begin.
    let cuts = (1..6_usize).flat_map(|n| {
        let about = (n << 18) + 10;
        [about - 1, about, about + 1, about + 5 * (n << 18).div_ceil(65_535), about + 5000]
    });
    for cut in cuts.filter(|&cut| cut < packed.len()) {
        let mut text = Vec::new();
        flate2::read::GzDecoder::new(&packed[..cut]).read_to_end(&mut text).unwrap_err();
        let line = text.iter().filter(|&&byte| byte == b'\n').count() + 1;
        let column = text.len() - text.iter().rposition(|&byte| byte == b'\n').unwrap();
        let defect = defect(&packed[..cut]);
        assert!(defect.found.contains("the end of the file"), "{cut}: {defect}");
        let place = Place::Line { line: line as u64, column: column as u64 };
        assert_eq!(defect.place, Some(place), "{cut}");
    }
}

#[test]
fn damage_behind_the_first_window_is_refused_where_it_is() {
    let (table, _) = long_table();
    let mut packed = stored(&table);
    // The length of a stored block, and its complement: no longer one. They follow the text of the blocks before.
    let before = 1_000_000;
    let head = packed
        .windows(4)
        .enumerate()
        .skip(before)
        .find(|(_, head)| head[0] == !head[2] && head[1] == !head[3]);
    let at = head.unwrap().0;
    packed[at] ^= 0xff;
    let defect = defect(&packed);
    assert!(defect.expected.contains("gzip") && defect.found.contains("damage"), "{defect}");
    let Some(Place::Line { line, .. }) = defect.place else { panic!("{defect}") };
    let lines = |bytes: &[u8]| bytes.iter().filter(|&&byte| byte == b'\n').count() as u64;
    // What one call of the decoder had done before it found the damage is lost.
    assert!((lines(&table[..at - (1 << 18)])..=lines(&table[..at]) + 1).contains(&line), "{line}");
}

#[test]
fn what_ends_early_leaves_the_rest_undecoded() {
    let (table, _) = long_table();
    let rest = table.repeat(10);
    let broken = stored(&[b"cues\toutcomes\na\n", &rest[..]].concat());
    let (_folder, path) = file(&broken);
    let monitor = Monitor::new();
    let Err(Error::Format(defect)) = read(&path, &mut keeping(), &monitor) else { panic!() };
    assert_eq!(defect.place, Some(Place::Line { line: 2, column: 2 }));
    let (done, total) = monitor.progress();
    assert_eq!(total, broken.len() as u64);
    // A window, and what is read of the file at once.
    assert!(done < 512 << 10 && done < total / 4, "{done} of {total}");
}

#[test]
fn missing_files_and_folders_are_errors_of_the_system() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing");
    for result in [events_at(&missing).map(drop), look(&missing).map(drop)] {
        let Err(Error::Io { path, doing, source }) = result else { panic!("{result:?}") };
        assert_eq!((path, doing, source.kind()), (missing.clone(), "open", std::io::ErrorKind::NotFound));
    }
    for result in [events_at(folder.path()).map(drop), look(folder.path()).map(drop)] {
        let Err(Error::Io { path, .. }) = result else { panic!("{result:?}") };
        assert_eq!(path, folder.path());
    }
}

#[test]
fn a_stop_is_a_stop_in_every_encoding() {
    let table = "cues\toutcomes\na\tb\n".as_bytes();
    for content in [table.to_vec(), gzip(table), zstd(table), xz(table)] {
        let (_folder, path) = file(&content);
        let monitor = Monitor::new();
        monitor.stop();
        let result = read(&path, &mut keeping(), &monitor);
        assert!(matches!(result, Err(Error::Stopped)), "{result:?}");
    }
}

#[test]
fn a_zstd_file_may_begin_with_a_skippable_frame() {
    let skippable = b"\x50\x2a\x4d\x18\x03\0\0\0any";
    let table = [skippable, &zstd(b"cues\toutcomes\na\tb\n")[..]].concat();
    assert_eq!(events(table), [event(&["a"], &["b"], 1)]);
}

#[test]
fn progress_is_in_bytes_of_the_file() {
    let table = format!("cues\toutcomes\n{}", "a_b\tc\n".repeat(100_000)).into_bytes();
    for content in [gzip(&table), zstd(&table), xz(&table), table] {
        let (_folder, path) = file(&content);
        let monitor = Monitor::new();
        read(&path, &mut keeping(), &monitor).unwrap();
        assert_eq!(monitor.progress(), (content.len() as u64, content.len() as u64));
    }
}

#[test]
fn kinds_are_told_by_content() {
    let kind_of = |content: &[u8]| {
        let (_folder, path) = file(content);
        look(&path).unwrap().kind
    };
    // tests/events/test_kinds.py has what small files are taken for.
    assert_eq!(kind_of(&[&MAGIC[..], b"rest"].concat()), Kind::Events);
    assert_eq!(kind_of(&MAGIC[..7]), Kind::Text);
    for table in ["cues\toutcomes", "\"Cues\",\"Outcomes\",\"Frequency\"\r\n", "\u{feff}cues,outcomes\n"] {
        for content in
            [table.as_bytes().to_vec(), gzip(table.as_bytes()), zstd(table.as_bytes()), xz(table.as_bytes())]
        {
            assert_eq!(kind_of(&content), Kind::Table);
        }
    }
    assert_eq!(kind_of(b"cues\toutcomes\t\xff\n"), Kind::UnnamedTable);
    assert_eq!(kind_of(&gzip(&MAGIC)), Kind::PackedEvents);
    // A header that does not end where looking ends is none.
    let long = [b"cues\toutcomes\t", &vec![b'x'; 2 * MAX_HEADER][..]].concat();
    assert_eq!(kind_of(&long), Kind::Text);
    assert_eq!(kind_of(&gzip(&long)), Kind::Text);
    let damaged = gzip(b"cues\toutcomes\n");
    let (_folder, path) = file(&damaged[..damaged.len() - 9]);
    assert!(matches!(look(&path), Err(Error::Format(_))));
}

/// Names for tab tables: no `_`, no tab, no line feed, and no carriage return, which would end a line too.
const TAB_NAME: &str = "[^_\t\r\n]{1,6}";

fn any_events(name: &'static str) -> impl Strategy<Value = Vec<Event>> {
    vec((vec(name, 0..6), vec(name, 0..3), any::<u32>()), 0..40)
}

fn tab_table(events: &[Event], frequency: bool, line_end: &str, last_end: bool) -> String {
    let mut rows = vec![["cues", "outcomes"].join("\t") + if frequency { "\tfrequency" } else { "" }];
    for (cues, outcomes, n) in events {
        let row = format!("{}\t{}", cues.join("_"), outcomes.join("_"));
        rows.push(if frequency { format!("{row}\t{n}") } else { row });
    }
    rows.join(line_end) + if last_end { line_end } else { "" }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn tab_tables_come_back(
        events in any_events(TAB_NAME),
        frequency: bool,
        crlf: bool,
        last_end: bool,
        cuts in vec(any::<prop::sample::Index>(), 0..4),
        packing in 0..4,
    ) {
        let table = tab_table(&events, frequency, if crlf { "\r\n" } else { "\n" }, last_end);
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(table.len())).collect();
        cuts.extend([0, table.len()]);
        cuts.sort_unstable();
        // Members and frames end anywhere, in the middle of characters and of line ends too.
        let parts = cuts.windows(2).map(|part| &table.as_bytes()[part[0]..part[1]]);
        let content: Vec<u8> = match packing {
            0 => table.clone().into_bytes(),
            1 => parts.flat_map(gzip).collect(),
            2 => parts.flat_map(zstd).collect(),
            _ => parts.flat_map(xz).collect(),
        };
        let (_folder, path) = file(&content);
        let expected: Vec<Event> = if frequency {
            events
        } else {
            events.into_iter().map(|(cues, outcomes, _)| (cues, outcomes, 1)).collect()
        };
        prop_assert_eq!(look(&path).unwrap().kind, Kind::Table);
        prop_assert_eq!(events_at(&path).unwrap(), expected);
    }

    #[test]
    fn rows_that_come_again_make_the_same_file_as_rows_that_are_split(
        rows in vec(("[abc_]{0,5}", "[xyz]{0,1}(_x)?", 0..3_u64), 1..6),
        order in vec(any::<prop::sample::Index>(), 0..60),
        csv: bool,
        duplicates in prop::sample::select(vec![Duplicates::Drop, Duplicates::Keep, Duplicates::Error]),
        background in prop::sample::select(vec![None, Some("a"), Some("new")]),
    ) {
        let separator = if csv { "," } else { "\t" };
        // With a number that no other row has, each row is split.
        let [again, split] = [false, true].map(|numbered| {
            let mut table = ["cues", "outcomes", "frequency", "number"].join(separator);
            for (n, row) in order.iter().enumerate() {
                let (cues, outcomes, frequency) = row.get(&rows);
                // Most have names, so that most tables can be read.
                let cues = cues.split('_').filter(|name| !name.is_empty()).collect::<Vec<_>>().join("_");
                let n = if numbered { n } else { 0 };
                table += &format!("\n{cues}{separator}{outcomes}{separator}{frequency}{separator}{n}");
            }
            let (_folder, path) = file(table.as_bytes());
            let mut writer = EventWriter::new(None, duplicates, background).unwrap();
            let result = read(&path, &mut writer, &Monitor::new());
            result
                .map(|()| writer.finish().unwrap().bytes().unwrap().to_vec())
                .map_err(|error| error.to_string().replace(&path.display().to_string(), ""))
        });
        prop_assert_eq!(again, split);
    }

    #[test]
    fn csv_tables_of_another_writer_come_back(events in any_events("[^_]{1,6}"), always: bool, crlf: bool) {
        let mut writer = csv::WriterBuilder::new()
            .quote_style(if always { csv::QuoteStyle::Always } else { csv::QuoteStyle::Necessary })
            .terminator(if crlf { csv::Terminator::CRLF } else { csv::Terminator::Any(b'\n') })
            .from_writer(Vec::new());
        writer.write_record(["Frequency", "Cues", "Outcomes"]).unwrap();
        for (cues, outcomes, n) in &events {
            writer.write_record([n.to_string(), cues.join("_"), outcomes.join("_")]).unwrap();
        }
        let (_folder, path) = file(&writer.into_inner().unwrap());
        prop_assert_eq!(events_at(&path).unwrap(), events);
    }

    #[test]
    fn any_bytes_are_read_or_refused(
        rows in vec("[a_\t,\"\r\n\u{e9}1]{0,12}", 0..8),
        header in prop::sample::select(vec!["", "cues\toutcomes\n", "cues,outcomes\n", "cues,outcomes,frequency\r\n"]),
        rubbish in vec(any::<u8>(), 0..40),
        magic in prop::sample::select(vec![&b""[..], b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"\x50\x2a\x4d\x18"]),
    ) {
        let table = format!("{header}{}", rows.join("\n")).into_bytes();
        for content in [[&table[..], &rubbish].concat(), [magic, &rubbish].concat(), table] {
            let (_folder, path) = file(&content);
            match events_at(&path) {
                Ok(_) => prop_assert_eq!(look(&path).unwrap().kind, Kind::Table),
                Err(Error::Format(defect)) => {
                    prop_assert_eq!(defect.path.as_deref(), Some(path.as_path()));
                    prop_assert!(defect.place.is_some(), "{}", defect);
                    let _ = look(&path);
                }
                Err(other) => prop_assert!(false, "{}", other),
            }
        }
    }

    #[test]
    fn names_are_those_of_str_split(cell in "[ab_é]{0,8}") {
        let found: Vec<(usize, String)> =
            split_names(&cell).map(|(at, name)| (at, name.map_or_else(|_| String::new(), str::to_owned))).collect();
        let mut at = 0;
        let expected: Vec<(usize, String)> = cell
            .split('_')
            .filter(|_| !cell.is_empty())
            .map(|name| {
                let start = at;
                at += name.len() + 1;
                (start, name.to_owned())
            })
            .collect();
        prop_assert_eq!(found, expected);
    }
}
