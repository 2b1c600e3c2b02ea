//! Running text: words, their cues, and what separates them.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;
use rescorla::internals::error::{Error, Place, Result};
use rescorla::internals::events::EventFile;
use rescorla::internals::events::write::{Duplicates, EventWriter};
use rescorla::internals::monitor::Monitor;
use rescorla::internals::text::corpus::{
    Allowed, Context, Corpus, Letters, Lookup, Names, Normal, Symbols, Table, TextReader, Unknown, Window,
};
use rescorla::internals::text::kind::look;
use rescorla::internals::text::source::MAX_PIECE;
use rescorla::internals::vocab::Vocab;
use tempfile::TempDir;

type Event = (Vec<String>, String);

fn corpus(grams: usize) -> Corpus {
    Corpus { cues: vec![NonZeroUsize::new(grams).map_or(Names::Words, Names::Letters)], ..Corpus::default() }
}

fn file(content: &[u8]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, content).unwrap();
    (folder, path)
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn writer(duplicates: Duplicates) -> EventWriter {
    EventWriter::new(None, duplicates, None).unwrap()
}

fn read(corpus: &Corpus, path: &Path) -> Result<Vec<Event>> {
    let mut writer = writer(Duplicates::Keep);
    corpus.read(&[path.to_owned()], &mut writer, &Monitor::new())?;
    Ok(events(writer))
}

fn push(corpus: &Corpus, line: &str) -> Vec<Event> {
    let mut writer = writer(Duplicates::Keep);
    push_line(corpus, line, &mut writer).unwrap();
    events(writer)
}

fn push_line(corpus: &Corpus, line: &str, writer: &mut EventWriter) -> Result<()> {
    let monitor = Monitor::new();
    let mut reader = TextReader::new(corpus, &monitor)?;
    reader.line(line, writer)?;
    reader.end_document(writer)
}

/// The events that were written, of one outcome each.
fn events(writer: EventWriter) -> Vec<Event> {
    let (file, mut events) = (writer.finish().unwrap(), Vec::new());
    each_event(&file, |cues, outcomes, frequency| {
        assert_eq!((frequency, outcomes.len()), (1, 1));
        events.push((cues.iter().map(|&name| name.to_owned()).collect(), outcomes[0].to_owned()));
    });
    events
}

/// Calls `take` with the names of each event.
fn each_event(file: &EventFile, mut take: impl FnMut(&[&str], &[&str], u32)) {
    file.for_each(0..file.len(), |_, cues, outcomes, frequency| {
        let cues: Vec<&str> = cues.iter().map(|&id| file.cues().name(id).unwrap()).collect();
        let outcomes: Vec<&str> = outcomes.iter().map(|&id| file.outcomes().name(id).unwrap()).collect();
        take(&cues, &outcomes, frequency);
        Ok(())
    })
    .unwrap();
}

/// Gives each word itself, but for one.
#[derive(Debug)]
struct Refusing;

impl Lookup for Refusing {
    fn names(&self, word: &str, take: &mut dyn FnMut(&str) -> Result<()>) -> Result<()> {
        if word == "refused" { Err(Error::defect("another word", word, "change it")) } else { take(word) }
    }
}

/// Gives each word itself, but for those that begin with a letter.
#[derive(Debug)]
struct RefusingAll(char);

impl Lookup for RefusingAll {
    fn names(&self, word: &str, take: &mut dyn FnMut(&str) -> Result<()>) -> Result<()> {
        if word.starts_with(self.0) {
            Err(Error::defect("another word", word, "change it"))
        } else {
            take(word)
        }
    }
}

fn words(corpus: &Corpus, line: &str) -> Vec<String> {
    push(corpus, line).into_iter().map(|(_, word)| word).collect()
}

fn cues(corpus: &Corpus, word: &str) -> Vec<String> {
    let [(cues, _)] = push(corpus, word).try_into().unwrap();
    cues
}

/// The events of a file that keeps duplicates, written name by name.
fn spelt(kept: &EventFile, duplicates: Duplicates, background: Option<&str>) -> EventFile {
    let mut writer = EventWriter::new(None, duplicates, background).unwrap();
    each_event(kept, |cues, outcomes, frequency| {
        cues.iter().for_each(|name| writer.cue(name).unwrap());
        outcomes.iter().for_each(|name| writer.outcome(name).unwrap());
        writer.end_event(frequency.into()).unwrap();
    });
    writer.finish().unwrap()
}

/// The events of texts in a file.
fn compiled(
    corpus: &Corpus,
    paths: &[PathBuf],
    duplicates: Duplicates,
    background: Option<&str>,
) -> EventFile {
    let mut writer = EventWriter::new(None, duplicates, background).unwrap();
    corpus.read(paths, &mut writer, &Monitor::new()).unwrap();
    writer.finish().unwrap()
}

#[test]
fn words_that_come_again_make_the_same_file_as_words_that_are_spelt() {
    // Several windows; "aaaa" has a trigram twice, and "Ab" and "ab" are one word or two.
    let words = ["aaaa", "Ab", "ab", "#", "Ärger", "x_y", "don't", "σΣ"];
    let text: String = (0..200_000_usize).map(|n| words[n * n % 13 % words.len()].to_owned() + " ").collect();
    let (_folder, path) = file(&gzip(text.as_bytes()));
    for (grams, lower) in [(0, true), (1, false), (3, true), (3, false)] {
        let corpus = Corpus { lower, ..corpus(grams) };
        let compiled =
            |duplicates, background| compiled(&corpus, std::slice::from_ref(&path), duplicates, background);
        let kept = compiled(Duplicates::Keep, None);
        for duplicates in [Duplicates::Drop, Duplicates::Keep] {
            let again = compiled(duplicates, Some("back"));
            assert!(again.bytes() == spelt(&kept, duplicates, Some("back")).bytes());
            assert!(again.header().has_types() && again.len() > 150_000);
        }
    }
}

#[test]
fn events_of_windows_make_the_same_file_as_events_that_are_spelt() {
    // Events that hardly ever come again, so that there is no dictionary of types; chunks that are full with events, and
    // chunks that are full with names. Of words that came before some come side by side for the first time, and some words are
    // new: letters are of a large alphabet, the later the larger.
    let random = |n: u64| (n.wrapping_mul(n) ^ n << 7).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    let letter = |n: u64, k: u64| {
        let alphabet = 40 + n / 800;
        char::from_u32(0x4e00 + (random(n) / alphabet.pow(k as u32) % alphabet) as u32).unwrap()
    };
    let mut text = String::new();
    for n in 0..120_000_u64 {
        text.extend((0..1 + n % 3).map(|k| letter(n, k)).chain([if n % 9 == 0 { '\n' } else { ' ' }]));
    }
    let (_folder, path) = file(text.as_bytes());
    let (words, trigrams) = (Names::Words, Names::Letters(NonZeroUsize::new(3).unwrap()));
    let of_words = |n| Window::Words(NonZeroUsize::new(n).unwrap());
    let around = |before, after| Window::Around { before, after };
    for (window, context, cues, outcomes) in [
        (of_words(2), Context::Document, vec![words.clone()], vec![words.clone()]),
        (of_words(20), Context::Line, vec![words.clone()], vec![words.clone()]),
        (of_words(3), Context::Line, vec![trigrams.clone()], vec![words.clone()]),
        (of_words(2), Context::Document, vec![trigrams.clone(), words.clone()], vec![]),
        (around(1, 1), Context::Line, vec![words.clone()], vec![words.clone()]),
        (around(0, 2), Context::Document, vec![trigrams.clone()], vec![trigrams.clone(), words.clone()]),
        (around(2, 0), Context::Line, vec![words.clone(), trigrams.clone()], vec![words.clone()]),
    ] {
        let corpus = Corpus { window, context, cues, outcomes, ..corpus(0) };
        let paths = [path.clone()];
        let kept = compiled(&corpus, &paths, Duplicates::Keep, None);
        for (duplicates, background) in
            [(Duplicates::Drop, None), (Duplicates::Keep, None), (Duplicates::Drop, Some("w0"))]
        {
            let spelt = spelt(&kept, duplicates, background);
            assert!(!spelt.header().has_types() && spelt.n_chunks() > 1);
            let found = compiled(&corpus, &paths, duplicates, background);
            found.verify(&Monitor::new()).unwrap();
            assert!(found.bytes() == spelt.bytes(), "{corpus:?}");
        }
    }
}

#[test]
fn no_event_is_lost_where_a_long_context_ends() {
    // Wherever words were forgotten last.
    for window in [Window::Words(NonZeroUsize::new(2).unwrap()), Window::Around { before: 1, after: 1 }] {
        let corpus = Corpus { window, context: Context::Document, ..corpus(0) };
        for n in (4080..4120).chain(8170..8210) {
            let text: String = (0..n).map(|i| format!("w{} ", i % 7)).collect();
            let (_folder, path) = file(text.as_bytes());
            let file = compiled(&corpus, &[path], Duplicates::Drop, None);
            let expected = if matches!(window, Window::Words(_)) { n + 1 } else { n };
            assert_eq!(file.len(), expected, "{window:?} {n}");
        }
    }
}

#[test]
fn more_events_that_come_again_than_are_remembered_make_the_same_file() {
    // Every other line comes again: one of any before, or one of a few before. Lines of two words and of five are kept in
    // different ways; those that come for the first time are so many that they are forgotten some times.
    let random = |n: u64| (n ^ (n << 21)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
    for (n_words, n_new) in [(2, 300_000), (5, 200_000)] {
        let mut text = String::new();
        for n in 0..2 * n_new {
            let line = match n % 4 {
                1 => random(n) % (n / 2).max(1),
                3 => n / 2 - random(n) % (n / 2).min(1000),
                _ => n / 2,
            };
            for k in 0..n_words {
                let word =
                    if k < 2 { line / 600_u64.pow(k) % 600 } else { random(line + u64::from(k)) % 600 };
                text += &format!("w{word} ");
            }
            text.push('\n');
        }
        let (_folder, path) = file(text.as_bytes());
        let corpus = Corpus { window: Window::Context, ..corpus(3) };
        let paths = [path];
        let kept = compiled(&corpus, &paths, Duplicates::Keep, None);
        let spelt = spelt(&kept, Duplicates::Drop, None);
        assert_eq!(spelt.len(), 2 * n_new);
        assert!(compile(&corpus, &paths, Duplicates::Drop) == spelt.bytes().unwrap());
    }
}

#[test]
fn words_are_cues_of_themselves() {
    let expected = ["in", "the", "beginning"].map(|word| (vec![word.to_owned()], word.to_owned()));
    assert_eq!(push(&corpus(0), "In  the\tbeginning\n"), expected);
}

#[test]
fn letters_come_in_the_order_of_the_word() {
    assert_eq!(cues(&corpus(1), "hand"), ["h", "a", "n", "d"]);
    assert_eq!(cues(&corpus(2), "hand"), ["#h", "ha", "an", "nd", "d#"]);
    assert_eq!(cues(&corpus(3), "aaaa"), ["#aa", "aaa", "aaa", "aa#"]);
    assert_eq!(cues(&corpus(3), "a"), ["#a#"]);
    assert_eq!(cues(&corpus(4), "a"), [""; 0]);
    let bare = Corpus { boundary: String::new(), ..corpus(3) };
    assert_eq!(cues(&bare, "hand"), ["han", "and"]);
    assert_eq!(cues(&bare, "ha"), [""; 0]);
    let long = Corpus { boundary: "<é".to_owned(), ..corpus(4) };
    assert_eq!(cues(&long, "a"), ["<éa<", "éa<é"]);
}

#[test]
fn letters_are_code_points() {
    assert_eq!(cues(&corpus(2), "Слово"), ["#с", "сл", "ло", "ов", "во", "о#"]);
    assert_eq!(cues(&corpus(2), "ენა"), ["#ე", "ენ", "ნა", "ა#"]);
    assert_eq!(cues(&corpus(2), "한국"), ["#한", "한국", "국#"]);
    // Decomposed: a letter, and a mark of its own.
    assert_eq!(cues(&corpus(1), "e\u{301}"), ["e", "\u{301}"]);
    assert_eq!(cues(&corpus(1), "\u{1112}\u{1161}"), ["\u{1112}", "\u{1161}"]);
    assert_eq!(cues(&corpus(3), "𐐀b"), ["#𐐨b", "𐐨b#"]);
}

#[test]
fn white_space_of_every_script_separates() {
    let spaces = " \t\n\r\u{b}\u{c}\u{85}\u{a0}\u{1680}\u{2003}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}";
    for space in spaces.chars() {
        assert_eq!(words(&corpus(0), &format!("{space}a{space}{space}é{space}")), ["a", "é"], "{space:?}");
    }
    // A space of no width separates, too; a byte order mark does not, and is not seen.
    assert_eq!(words(&corpus(0), "a\u{200b}b a\u{feff}b"), ["a", "b", "ab"]);
}

#[test]
fn what_would_be_confused_separates() {
    assert_eq!(words(&corpus(0), "_a_#b#c__d#"), ["a", "b", "c", "d"]);
    let other = Corpus { boundary: "<é".to_owned(), lower: false, ..corpus(0) };
    assert_eq!(words(&other, "a#<béc É"), ["a#", "b", "c", "É"]);
}

#[test]
fn lower_case_comes_before_symbols() {
    let symbols = Some("a-z".parse().unwrap());
    let lower = Corpus { symbols, ..corpus(0) };
    assert_eq!(words(&lower, "Don't STOP, straße"), ["don", "t", "stop", "stra", "e"]);
    let as_is = Corpus { lower: false, ..lower };
    assert_eq!(words(&as_is, "Don't STOP"), ["on", "t"]);
    assert_eq!(words(&Corpus { lower: false, ..corpus(0) }, "Don't"), ["Don't"]);
}

#[test]
fn lower_case_is_that_of_unicode() {
    // As str.lower of Python.
    assert_eq!(
        words(&corpus(0), "ΟΔΥΣΣΕΥΣ ΣΑΣ Σ ΑΣ.Α ΑΣ. İI ẞÄ ДЖ ᲐᲑ Ǆ \u{212a}"),
        [
            "οδυσσευς",
            "σας",
            "σ",
            "ας.α".replace('ς', "σ").as_str(),
            "ας.",
            "i\u{307}i",
            "ßä",
            "дж",
            "აბ",
            "ǆ",
            "k",
        ]
    );
    // The final sigma is decided before a separator cuts the word.
    let symbols = Some("α-ω".parse().unwrap());
    assert_eq!(words(&Corpus { symbols, ..corpus(0) }, "ΑΣ.Α ΑΣ-Α"), ["ασ", "α", "ας", "α"]);
}

#[test]
fn a_file_is_its_words_whatever_its_lines() {
    let text = "\u{feff}In the\r\nbeginning  God\n\n";
    for content in [text.as_bytes().to_vec(), gzip(text.as_bytes())] {
        let (_folder, path) = file(&content);
        assert_eq!(read(&corpus(3), &path).unwrap(), push(&corpus(3), "in the beginning god"));
    }
    for nothing in ["", "\n", "\u{feff}", " # _\t"] {
        let (_folder, path) = file(nothing.as_bytes());
        assert_eq!(read(&corpus(3), &path).unwrap(), []);
    }
}

#[test]
fn a_long_line_is_read_in_pieces() {
    // No line feed at all; words lie across all the ends of pieces.
    for space in [" ", "\u{3000}"] {
        let words: Vec<String> = (0..200_000).map(|n| format!("ы{n}")).collect();
        let (_folder, path) = file(words.join(space).as_bytes());
        let found: Vec<String> = read(&corpus(0), &path).unwrap().into_iter().map(|(_, word)| word).collect();
        assert!(found == words);
    }
}

#[test]
fn a_word_without_end_is_refused() {
    let (_folder, path) = file(&gzip(&[b"a b\nc ".to_vec(), vec![b'x'; MAX_PIECE + 1]].concat()));
    let Err(Error::Format(defect)) = read(&corpus(0), &path) else { panic!() };
    assert_eq!(defect.path, Some(path));
    assert_eq!(defect.place, Some(Place::Line { line: 2, column: 2 }));
    assert!(defect.expected.contains("at most 67108864 bytes"), "{defect}");
    let (_folder, path) = file(&gzip(&vec![b'x'; MAX_PIECE]));
    assert_eq!(read(&corpus(0), &path).unwrap()[0].1.len(), MAX_PIECE);
}

#[test]
fn bad_utf8_has_its_place() {
    let far = ["wort ".repeat(100_000).as_bytes(), b"\n\n\xc3\xa9 a\xff"].concat();
    for (content, line, column) in
        [(&b"a\nb \xe9t\xe9"[..], 2, 3), (b"\xff", 1, 1), (&far, 3, 5), (b"a\xd0", 1, 2)]
    {
        let (_folder, path) = file(content);
        let Err(Error::Format(defect)) = read(&corpus(3), &path) else { panic!("{content:?}") };
        assert_eq!(defect.path, Some(path));
        assert_eq!(defect.place, Some(Place::Line { line, column }));
        assert!(defect.expected.contains("UTF-8"), "{defect}");
    }
}

#[test]
fn what_the_writer_refuses_has_its_place() {
    // "refused" is an outcome twice.
    let mut table = Table::new(Unknown::Ignore, "outcomes");
    table.insert("refused", ["refused"]).unwrap();
    let corpus_twice = Corpus { outcomes: vec![Names::Words, Names::Looked(Arc::new(table))], ..corpus(2) };
    let far = "wort ".repeat(100_000) + "\nb refused";
    let texts = [("a\nİ\u{212a}_#REFUSED b", 2, 1), ("refused", 1, 1), ("é é_refused", 1, 4), (&far, 2, 3)];
    for (text, line, column) in texts {
        let (_folder, path) = file(text.as_bytes());
        let refused =
            corpus_twice.read(std::slice::from_ref(&path), &mut writer(Duplicates::Error), &Monitor::new());
        let Err(Error::Format(defect)) = refused else { panic!("{text}") };
        assert_eq!((defect.place, defect.path), (Some(Place::Line { line, column }), Some(path)));
        let Err(Error::Format(defect)) = push_line(&corpus_twice, text, &mut writer(Duplicates::Error))
        else {
            panic!()
        };
        assert_eq!((defect.place, defect.path), (None, None));
    }
    // Where the word stands with which the first event is whole that has the name.
    let far = "nomen verbum\n".repeat(50_000) + "ein wort refused wort\nrefused";
    let (_folder, path) = file(far.as_bytes());
    let windows = [Window::Words(NonZeroUsize::new(2).unwrap()), Window::Around { before: 1, after: 1 }];
    for window in windows {
        let corpus = Corpus { cues: vec![Names::Looked(Arc::new(Refusing))], window, ..corpus(0) };
        let mut writer = writer(Duplicates::Drop);
        let refused = corpus.read(std::slice::from_ref(&path), &mut writer, &Monitor::new());
        let Err(Error::Format(defect)) = refused else { panic!("{window:?}") };
        assert_eq!(defect.place, Some(Place::Line { line: 50_001, column: 10 }), "{window:?}");
    }
}

#[test]
fn a_cut_file_is_refused() {
    let packed = gzip("a\nb ".repeat(1000).as_bytes());
    let (_folder, path) = file(&packed[..packed.len() - 1]);
    let Err(Error::Format(defect)) = read(&corpus(0), &path) else { panic!() };
    assert_eq!(defect.path, Some(path));
    assert!(defect.found.contains("the end of the file"), "{defect}");
    let missing = read(&corpus(0), Path::new("there is no such file"));
    assert!(matches!(missing, Err(Error::Io { doing: "open", .. })), "{missing:?}");
}

/// Asks for a stop, and knows no second word.
#[derive(Debug)]
struct Stopping(Arc<Monitor>);

impl Lookup for Stopping {
    fn names(&self, word: &str, take: &mut dyn FnMut(&str) -> Result<()>) -> Result<()> {
        self.0.check().unwrap();
        self.0.stop();
        take(word)
    }
}

#[test]
fn a_stop_takes_effect_within_a_word() {
    let (_folder, path) = file(&b"abcdefg ".repeat(100));
    let monitor = Arc::new(Monitor::new());
    let stopping = || vec![Names::Looked(Arc::new(Stopping(monitor.clone())))];
    let corpus = Corpus { cues: stopping(), outcomes: stopping(), ..corpus(0) };
    let mut writer = writer(Duplicates::Drop);
    assert!(matches!(corpus.read(&[path], &mut writer, &monitor), Err(Error::Stopped)));
    assert_eq!(writer.finish().unwrap().outcomes().len(), 0);
    assert_eq!(monitor.progress(), (800, 800));
}

#[test]
fn symbols_are_read_like_a_character_class() {
    let members = |text: &str, among: &str| -> String {
        let symbols: Symbols = text.parse().unwrap();
        among.chars().filter(|&c| symbols.contains(c)).collect()
    };
    let ascii = "!-.\\]^abcmyz";
    assert_eq!(members("a-cz", ascii), "abcz");
    assert_eq!(members("-a", ascii), "-a");
    assert_eq!(members("a-", ascii), "-a");
    assert_eq!(members("-", ascii), "-");
    assert_eq!(members("a-c-z", ascii), "-abcz");
    assert_eq!(members(r"\\\]\-a", ascii), r"-\]a");
    assert_eq!(members(r"\--\.", ascii), "-.");
    assert_eq!(members(r"a\-c", ascii), "-ac");
    assert_eq!(members("^a]", ascii), "]^a");
    assert_eq!(members("ж-яcа-ёa-b", "aбжцяёbcdѐ\u{10ffff}"), "aбжцяёbcѐ");
    assert_eq!(members("!-\u{10ffff}", "é ~\u{7f}"), "é~\u{7f}");
    assert_eq!(members(r"\w-", "aé_3-.\u{301}٣"), "aé_3-\u{301}٣");
    assert_eq!(members(r"\p{Greek}x\pZ", "αaxΩ \u{2028}"), "αxΩ \u{2028}");
    assert_eq!(members(r"\P{L}\S", "a. "), "a. ");
    assert_eq!(members(r"\p{Zl}", "\u{2028}\u{2029}"), "\u{2028}");
}

#[test]
fn malformed_symbols_are_refused() {
    let cases = [
        ("z-a", "a range that rises", "z-a"),
        ("я-a", "a range that rises", "я-a"),
        ("abc\\", "a character after \\", "the end"),
        ("a-\\", "a character after \\", "the end"),
        (r"\b", "needs a backslash", r"\b"),
        (r"\p{Klingon}", "that Unicode has", r"\p{Klingon}"),
        (r"\p{Greek", "that Unicode has", r"\p{Greek"),
        (r"a-\d", "at the end of a range", "a class"),
        ("", "at least one character", "none"),
    ];
    for (text, expected, found) in cases {
        let Err(Error::Argument(message)) = text.parse::<Symbols>() else { panic!("{text}") };
        let (before, after) = message.split_once(", not ").unwrap();
        assert!(before.starts_with("symbols must have ") && before.contains(expected), "{message}");
        assert!(after.starts_with(found) && after.contains("; "), "{message}");
    }
}

/// The definition, on vectors of characters.
fn naive(corpus: &Corpus, text: &str) -> Vec<Event> {
    let text = if corpus.lower { text.to_lowercase() } else { text.to_owned() };
    let allowed = |c: char| {
        let confused = c == '_' || c == '\t' || corpus.boundary.contains(c);
        !confused
            && match &corpus.symbols {
                None => true,
                Some(Allowed::Set(symbols)) => symbols.contains(c),
                Some(Allowed::Asked(ask)) => ask.is_symbol(c).unwrap(),
            }
    };
    let text: String = text.chars().map(|c| if allowed(c) { c } else { ' ' }).collect();
    let event = |word: &str| {
        let boundary = || corpus.boundary.chars();
        let framed: Vec<char> = boundary().chain(word.chars()).chain(boundary()).collect();
        let cues = match &corpus.cues[0] {
            Names::Letters(n) if n.get() == 1 => word.chars().map(String::from).collect(),
            Names::Letters(n) => framed.windows(n.get()).map(String::from_iter).collect(),
            _ => vec![word.to_owned()],
        };
        (cues, word.to_owned())
    };
    text.split_whitespace().map(event).collect()
}

/// Words, and all that can stand between them.
fn some_text() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        "[a-cA-Cé]{1,3}",
        "[aΣσé\u{301}한국ბ]{1,4}",
        Just("---end.of.document---".to_owned()),
        Just("b---END.OF.DOCUMENT---a".to_owned()),
        "[ab]{0,2}[.?!…。]{1,2}[\"')”]{0,2}[ab]{0,1}",
        Just("\u{3000}".to_owned()),
        "[_#x-]{1,3}",
    ];
    let space = prop_oneof![4 => Just(" "), 1 => Just("\n"), 1 => Just("\r\n"), 1 => Just("\n \n"), 1 => Just("\r"), 1 => Just("\t\r\r")];
    vec((word, space), 0..25).prop_map(|parts| parts.into_iter().map(|(word, space)| word + space).collect())
}

fn some_corpus() -> impl Strategy<Value = Corpus> {
    let window = prop_oneof![
        1 => Just(Window::ONE),
        3 => (2usize..6).prop_map(|n| Window::Words(n.try_into().unwrap())),
        3 => (0usize..4, 1usize..4).prop_map(|(before, after)| Window::Around { before, after }),
        1 => Just(Window::Context),
    ];
    let context =
        prop::sample::select(vec![Context::Line, Context::Sentence, Context::Paragraph, Context::Document]);
    let names = prop::sample::select(vec![vec![0], vec![3], vec![2], vec![1, 2, 4], vec![0, 3]]);
    let letters = prop::sample::select(vec![Letters::CodePoints, Letters::Graphemes]);
    let normalize = prop::sample::select(vec![None, Some(Normal::Nfc), Some(Normal::Nfkd)]);
    (window, context, names, letters, normalize, any::<[bool; 4]>()).prop_map(
        |(window, context, cues, letters, normalize, [across, lower, stops, symbols])| Corpus {
            window,
            context,
            cues: cues
                .into_iter()
                .map(|n| NonZeroUsize::new(n).map_or(Names::Words, Names::Letters))
                .collect(),
            across,
            letters,
            lower,
            normalize,
            stop_words: if stops { Vocab::of(["a", "b."]).unwrap() } else { Vocab::new() },
            symbols: symbols.then(|| "a-c\u{301}".parse().unwrap()),
            ..Corpus::default()
        },
    )
}

fn compile(corpus: &Corpus, paths: &[PathBuf], duplicates: Duplicates) -> Vec<u8> {
    compiled(corpus, paths, duplicates, None).bytes().unwrap().to_vec()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn events_are_as_defined(
        text in r"([ \n\t_#.'a-cA-CéÉΣΑσİßДдა-ეᲐ-Ე가-힣\u{301}\u{a0}\u{3000}\u{1F88}]|\PC){0,40}",
        grams in 0usize..6,
        lower: bool,
        boundary in prop::sample::select(vec!["", "#", "<>", "é", "."]),
        symbols in prop::option::of(prop::sample::select(vec!["a-z", "^#a-cё-", "α-ωа-я\u{300}-\u{36f}"])),
    ) {
        let symbols = symbols.map(|text| text.parse().unwrap());
        let corpus = Corpus { symbols, lower, boundary: boundary.to_owned(), ..corpus(grams) };
        let expected = naive(&corpus, &text);
        prop_assert_eq!(&push(&corpus, &text), &expected);
        // A no-break space first, so that a byte order mark is not taken for one.
        let (_folder, path) = file(format!("\u{a0}{text}").as_bytes());
        prop_assert_eq!(read(&corpus, &path).unwrap(), expected);
    }

    #[test]
    fn it_is_the_same_text_in_files_in_one_or_by_itself(
        texts in vec(some_text(), 1..4),
        corpus in some_corpus(),
        duplicates in prop::sample::select(vec![Duplicates::Drop, Duplicates::Keep]),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let paths: Vec<PathBuf> = (0..texts.len()).map(|n| folder.path().join(n.to_string())).collect();
        for (path, text) in paths.iter().zip(&texts) {
            fs::write(path, text).unwrap();
        }
        let whole = compile(&corpus, &paths, duplicates);
        // Marks of documents end what the ends of files do, unless one is in the making.
        if texts.iter().all(|text| !text.ends_with(['-', 'E', 'e'])) {
            let joined = folder.path().join("joined");
            fs::write(&joined, texts.join("\n---END.OF.DOCUMENT---\n")).unwrap();
            let joined = compile(&corpus, &[joined], duplicates);
            prop_assert!(whole == joined);
        }
        // Text that comes by itself.
        let mut writer = writer(duplicates);
        let monitor = Monitor::new();
        let mut reader = TextReader::new(&corpus, &monitor).unwrap();
        for text in &texts {
            reader.line(text, &mut writer).unwrap();
            reader.end_document(&mut writer).unwrap();
        }
        prop_assert!(whole == writer.finish().unwrap().bytes().unwrap());
    }

    #[test]
    fn symbols_are_the_union_of_their_ranges(
        ranges in vec((any::<char>(), any::<char>()), 1..8),
        others in vec(any::<char>(), 20),
    ) {
        let escaped = |c: char| if c.is_alphanumeric() { String::from(c) } else { format!("\\{c}") };
        let ranges: Vec<(char, char)> = ranges.into_iter().map(|(a, b)| (a.min(b), a.max(b))).collect();
        let text: String = ranges.iter().map(|&(a, b)| format!("{}-{}", escaped(a), escaped(b))).collect();
        let symbols: Symbols = text.parse().unwrap();
        let ends: BTreeSet<char> = ranges.iter().flat_map(|&(a, b)| [a, b]).collect();
        for c in others.into_iter().chain(ends).chain((0..128u8).map(char::from)) {
            prop_assert_eq!(symbols.contains(c), ranges.iter().any(|&(a, b)| a <= c && c <= b), "{:?}", c);
        }
    }

    #[test]
    fn any_text_is_symbols_or_refused(text in r"[-\\a-cé\]]{0,6}") {
        match text.parse::<Symbols>() {
            Ok(symbols) => prop_assert!(text.chars().any(|c| symbols.contains(c))),
            Err(error) => prop_assert!(matches!(error, Error::Argument(_))),
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(
        rubbish in vec(any::<u8>(), 0..60),
        magic in prop::sample::select(vec![&b""[..], b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"\x50\x2a\x4d\x18"]),
    ) {
        let (_folder, path) = file(&[magic, &rubbish].concat());
        let _ = look(&path);
        match read(&corpus(3), &path) {
            Ok(events) => prop_assert!(events.len() <= magic.len() + rubbish.len()),
            Err(Error::Format(defect)) => {
                prop_assert_eq!(&defect.path, &Some(path));
                prop_assert!(defect.place.is_some(), "{}", defect);
            }
            Err(other) => prop_assert!(false, "{}", other),
        }
    }
}

#[test]
fn no_word_is_asked_for_names_that_no_event_has() {
    // As many different events as it takes until they are no longer looked for, in the order of the text and against it.
    let lines = |line: fn(usize) -> String| (0..6000).map(line).collect::<String>();
    let (ahead, back) = (lines(|i| format!("a{i} b{i} end\n")), lines(|i| format!("end b{i} a{i}\n")));
    for (text, before, after) in [(&ahead, 0, 1), (&ahead, 0, 3), (&back, 1, 0), (&back, 3, 0)] {
        let corpus = Corpus {
            cues: vec![Names::Looked(Arc::new(RefusingAll('a')))],
            outcomes: vec![Names::Looked(Arc::new(RefusingAll('e')))],
            window: Window::Around { before, after },
            ..corpus(0)
        };
        let (_folder, path) = file(text.as_bytes());
        let bytes = compile(&corpus, &[path], Duplicates::Drop);
        let events = rescorla::internals::events::EventFile::open(bytes, None).unwrap();
        assert_eq!((events.len(), events.cues().len(), events.outcomes().len()), (12_000, 6_001, 12_000));
        // Where an event has it, it is asked for, and found.
        let wrong = if after > 0 { format!("{text}end a b\n") } else { format!("{text}b a end\n") };
        let (_folder, path) = file(wrong.as_bytes());
        let mut writer = writer(Duplicates::Drop);
        // The context ends with the file, which is not the last.
        let (_other_folder, other) = file(b"more\n");
        let paths = [path.clone(), other];
        let error = corpus.read(&paths, &mut writer, &Monitor::new()).unwrap_err();
        let place = format!("{}, line 6001", path.display());
        assert!(error.to_string().starts_with(&place), "{error}");
    }
}
