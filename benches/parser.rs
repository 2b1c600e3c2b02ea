//! How many bytes of tables and text a second become events, in memory.

#![allow(clippy::unwrap_used, missing_docs)]

use std::fs;
use std::io::Write;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rescorla::internals::events::write::{Duplicates, EventWriter};
use rescorla::internals::monitor::Monitor;
use rescorla::internals::text::corpus::Corpus;
use rescorla::internals::text::tables;

/// Words in the text, and so events of the corpus and of its table.
const WORDS: u64 = 1_000_000;

/// Ten words a line, of four letters and more. The rank of a word is the inverse of a uniform number, which is Zipf's
/// law, and spells it. The first letter is an ä where `umlauts`.
fn text(umlauts: bool) -> String {
    let letters = [if umlauts { 'ä' } else { 'a' }, 'b', 'c', 'd'];
    let mut state = 1u64;
    let mut text = String::new();
    for n in 1..=WORDS {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut spelling = 64 + (1u64 << 24) / ((state >> 40) + 1);
        while spelling > 0 {
            text.push(letters[(spelling % 4) as usize]);
            spelling /= 4;
        }
        text.push(if n % 10 == 0 { '\n' } else { ' ' });
    }
    text
}

/// The table of a text: trigrams, and the word; where `numbered`, with a column of numbers, so that no row repeats.
fn table(text: &str, numbered: bool) -> String {
    let mut table = String::from(if numbered { "cues\toutcomes\tnumber\n" } else { "cues\toutcomes\n" });
    for (n, word) in text.split_whitespace().enumerate() {
        let framed = format!("#{word}#");
        let trigrams: Vec<&str> = (0..framed.len() - 2).map(|at| &framed[at..at + 3]).collect();
        let number = if numbered { format!("\t{n}") } else { String::new() };
        table.push_str(&format!("{}\t{word}{number}\n", trigrams.join("_")));
    }
    table
}

fn gzip(text: &str) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(text.as_bytes()).unwrap();
    gzip.finish().unwrap()
}

fn parser(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, content: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, content).unwrap();
        path
    };
    let mut group = criterion.benchmark_group("parser");
    group.sample_size(10);

    let ascii = text(false);
    let words = table(&ascii, false);
    let numbered = table(&ascii, true);
    let tables = [
        ("table", words.as_bytes().to_vec(), words.len()),
        ("table.gz", gzip(&words), words.len()),
        ("numbered table.gz", gzip(&numbered), numbered.len()),
    ];
    for (name, content, length) in tables {
        let path = write(name, &content);
        group.throughput(Throughput::Bytes(length as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let mut writer = EventWriter::new(None, Duplicates::Keep, None).unwrap();
                tables::read(&path, &mut writer, &Monitor::new()).unwrap();
                assert_eq!(writer.finish().unwrap().len(), WORDS);
            });
        });
    }

    let trigrams = Corpus::default();
    for (name, text) in [("corpus", ascii), ("corpus with umlauts", text(true))] {
        let path = write(name, text.as_bytes());
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let mut writer = EventWriter::new(None, Duplicates::Keep, None).unwrap();
                let paths = std::slice::from_ref(&path);
                trigrams.read(paths, &mut writer, &Monitor::new()).unwrap();
                assert_eq!(writer.finish().unwrap().len(), WORDS);
            });
        });
    }
    group.finish();
}

criterion_group!(benches, parser);
criterion_main!(benches);
