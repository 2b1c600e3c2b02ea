//! Subtitles as text: what pyndl writes for them, random ones, and what is refused.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::io::Write;
use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::*;
use rescorla::internals::error::{Defect, Error, Place, Result};
use rescorla::internals::monitor::Monitor;
use rescorla::internals::text::source::{MAX_PIECE, Source, Wrapping};

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn text_at(path: &Path) -> Result<String> {
    let mut text = String::new();
    let monitor = Monitor::new();
    let mut source = Source::open(path, Wrapping::Subtitles, &monitor)?;
    while let Some(line) = source.line(MAX_PIECE)? {
        text.push_str(line.text()?);
    }
    Ok(text)
}

fn read(content: impl AsRef<[u8]>) -> Result<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, content).unwrap();
    text_at(&path)
}

fn text(content: impl AsRef<[u8]>) -> String {
    read(content).unwrap()
}

fn defect(content: impl AsRef<[u8]>) -> Defect {
    match read(content) {
        Err(Error::Format(defect)) => {
            assert!(!defect.cure.is_empty() && defect.path.is_some(), "{defect}");
            *defect
        }
        other => panic!("{other:?}"),
    }
}

fn refused(content: impl AsRef<[u8]>, line: u64, column: u64, expected: &str, found: &str) {
    let defect = defect(content);
    assert_eq!(defect.place, Some(Place::Line { line, column }), "{defect}");
    assert!(defect.expected.contains(expected) && defect.found.contains(found), "{defect}");
}

/// A document and the text that pyndl 1.2.4 makes of it: `read_clean_gzfile(path, break_duration=5.0)`.
const PYNDL: [(&str, &str); 8] = [
    (
        r#"<?xml version="1.0" encoding="utf-8"?>
<document id="1">
  <s id="1">
    <time id="T1S" value="00:00:04,000" />
    <w id="1.1">Well</w>
    <w id="1.2">,</w>
    <w id="1.3">don</w> <w id="1.4">'</w> <w id="1.5">t</w>
    <w id="1.6">!</w>
    <time id="T1E" value="00:00:06,000" />
  </s>
  <s id="2">
    <time id="T2S" value="00:00:11,000" />
    <w>five</w>
    <w>seconds</w>
    <time id="T2E" value="00:00:12,000" />
  </s>
  <s id="3">
    <time id="T3S" value="00:00:18,000" />
    <w>(</w><w>six</w><w>)</w>
    <time id="T3E" value="00:01:00,000" />
    <time id="T4S" value="01:00:00,000" />
    <w>much</w><w>more</w><w>...</w><w>?</w>
  </s>
  <s id="4"><w>no</w><w>time</w></s>
</document>
"#,
        "Well, don' t!\nfive seconds\n\n\n( six) much more ...?\nno time\n",
    ),
    (
        r#"<d><s><time id="S" value="00:00:05:00"/><w>a</w><time id="E" value="00:00:05:15"/></s>
<s><time id="S" value="00:00:10:15"/><w>b</w></s><s><time id="S" value="00:00:10:16"/><w>c</w></s></d>"#,
        "a\nb\n\nc\n",
    ),
    (
        r#"<d><w>not in a sentence</w><s><w>R &amp; D</w><i><w>italic</w></i>
<w>a<!-- - -->b<![CDATA[<c>]]></w><w>&#233;&#x5B57;</w></s>
<s><time id="T9E" value="09:00:00,000"/></s><s><w> </w></s><s><w> x </w><w>y<b>z</b>u</w></s><p><s><w>deeper</w></s></p>
<s><w>,</w><w>.</w></s><s><w>]</w><w>a</w><w>[</w><w>:;</w><w>;</w></s></d>"#,
        "R & D ab<c> é字\nx  y\n,.\n] a[ :;;\n",
    ),
    ("\u{feff}<d>\r\n<s>\r\n<w>a\r\nb</w><w>\u{a0}c\u{3000}</w>\r\n</s>\r\n</d>\r\n", "a\nb \u{a0}c\n"),
    (
        r#"<d><s><time id="S" value="0:0:9,0"/><time id="S" value="0:0:9,0"/><w>a</w><w>b</w></s></d>"#,
        "\n\na b\n",
    ),
    ("<d><s><w>a</w><s><w>b</w></s><w>c</w></s></d>", "a c\n"),
    ("<d><s><w>\u{feff}</w></s></d>", "\u{feff}\n"),
    ("<d/>", ""),
];

#[test]
fn the_text_is_that_of_pyndl() {
    for (xml, expected) in PYNDL {
        assert_eq!(text(xml), expected);
        assert_eq!(text(gzip(xml.as_bytes())), expected);
        // Members that end in the middle of characters, a byte order mark among them.
        let members = xml.as_bytes().chunks(2).flat_map(gzip).collect::<Vec<u8>>();
        assert_eq!(text(members), expected);
    }
}

#[test]
fn a_comma_is_followed_by_milliseconds() {
    // pyndl takes 999 for frames, of which a second has 30.
    let pause = |start: &str| {
        let xml = format!(
            r#"<d><s><w>a</w><time id="E" value="00:00:59,999"/></s><s><time id="S" value="{start}"/><w>b</w></s></d>"#
        );
        text(xml) == "a\n\nb\n"
    };
    assert!(!pause("00:01:04,999"));
    assert!(pause("00:01:05,000"));
    assert!(!pause("00:00:01,000"));
}

#[test]
fn what_is_not_xml_is_refused() {
    refused("", 1, 1, "whole XML", "no tag");
    refused("<!-- nothing -->", 1, 17, "whole XML", "no tag");
    refused("plain text", 1, 1, "whole XML", "outside of all tags");
    refused("<d/>more", 1, 5, "whole XML", "outside of all tags");
    refused("<d/><d/>", 1, 5, "whole XML", "behind the end");
    refused("<d>\n<s>\n", 3, 1, "whole XML", "the end of the file");
    refused("<d>\n <s></d>", 2, 5, "whole XML", "");
    refused("<d></d></d>", 1, 8, "whole XML", "");
    refused("<d>\n <s", 2, 2, "whole XML", "not closed");
    refused("<d><s><w>&nbsp;</w></s></d>", 1, 10, "own entities", "&nbsp;");
    refused("<d><s><w>&#0;</w></s></d>", 1, 10, "whole XML", "");
    refused("<d><s><w>a&#1;</w></s></d>", 1, 11, "whole XML", "'\\u{1}'");
    refused("<d><s><w>\u{ffff}</w></s></d>", 1, 10, "whole XML", "'\\u{ffff}'");
    refused(b"<d><s>\n<w>\xe9</w></s></d>", 2, 4, "UTF-8", "");
}

#[test]
fn what_is_not_subtitles_is_refused() {
    refused("<d><s><w>a</w><w></w></s></d>", 1, 18, "text in a tag <w>", "none");
    refused("<d><s><w><b>a</b></w></s></d>", 1, 18, "text in a tag <w>", "none");
    refused("<d><s>\n<time id=\"T1S\"/></s></d>", 2, 1, "an attribute value", "none");
    refused("<d><s><time value=\"0:0:0,0\"/></s></d>", 1, 7, "an attribute id", "none");
    for id in ["", "T1", "s"] {
        refused(format!("<d><s><time id='{id}' value='0:0:0,0'/></s></d>"), 1, 7, "such as T1S", id);
    }
    let wrong =
        ["", "0", "0:0:0", "0:0:0:0:0", "a:0:0,0", "0:0:-1,0", "0:0:0,", " 0:0:0,0", "1234567890:0:0,0"];
    for time in wrong {
        refused(format!("<d><s><time id='T1S' value='{time}'/></s></d>"), 1, 7, "a time", time);
    }
}

#[test]
fn what_would_fill_the_memory_is_refused() {
    let many = |n: usize, part: &str| part.repeat(n);
    refused(format!("<d><s><w>{}", many(2 << 20, "x")), 1, 10, "at most 1048576 bytes", "a longer one");
    refused(format!("<d><s {}", many(1 << 20, "x ")), 1, 4, "at most 1048576 bytes", "a longer one");
    let deep = defect(many(100, "<a>"));
    assert!(deep.expected.contains("at most 64 open tags"), "{deep}");
    let words = many(40, &format!("<w>{}</w>", many(1 << 19, "x")));
    let long = defect(format!("<d><s>{words}"));
    assert!(long.expected.contains("a sentence of at most 16777216 bytes"), "{long}");
}

#[test]
fn a_cut_or_damaged_file_is_refused_where_it_is() {
    let sentences: String = (0..40_000).map(|n| format!("<s><w>a{n}</w></s>\n")).collect();
    let xml = format!("<d>\n{sentences}</d>\n");
    let expected: String = (0..40_000).map(|n| format!("a{n}\n")).collect();
    assert!(text(&xml) == expected && text(gzip(xml.as_bytes())) == expected);
    let packed = gzip(xml.as_bytes());
    let cut = defect(&packed[..packed.len() / 2]);
    assert!(cut.expected.contains("gzip") && cut.found.contains("the end of the file"), "{cut}");
    let Some(Place::Line { line, .. }) = cut.place else { panic!("{cut}") };
    assert!((10_000..30_000).contains(&line), "{line}");
    refused(&xml[..xml.len() - 5], 40_002, 1, "whole XML", "the end of the file");
    let broken = xml.replace("<w>a39999</w>", "<w/>");
    refused(broken, 40_001, 8, "text in a tag <w>", "none");
}

#[test]
fn a_stop_is_a_stop() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, gzip(PYNDL[0].0.as_bytes())).unwrap();
    let monitor = Monitor::new();
    monitor.stop();
    let result = Source::open(&path, Wrapping::Subtitles, &monitor);
    assert!(matches!(result, Err(Error::Stopped)));
}

#[test]
fn progress_is_in_bytes_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let packed = gzip(PYNDL[0].0.as_bytes());
    fs::write(&path, &packed).unwrap();
    let monitor = Monitor::new();
    let mut source = Source::open(&path, Wrapping::Subtitles, &monitor).unwrap();
    while source.line(MAX_PIECE).unwrap().is_some() {}
    assert_eq!(monitor.progress().0, packed.len() as u64);
}

/// A part of a sentence.
#[derive(Debug, Clone)]
enum Part {
    Word(String),
    /// Whether the subtitle ends, and when, in milliseconds.
    Time(bool, u64),
    /// Does not count.
    Formatted(String),
}

fn any_part() -> impl Strategy<Value = Part> {
    let word =
        prop_oneof!["[.,:;?!()\\[\\]']", "[a-c.,' <>&\"]{1,4}", "[^\u{0}-\u{1f}\u{fffe}\u{ffff}]{1,5}"];
    prop_oneof![
        3 => word.clone().prop_map(Part::Word),
        2 => (any::<bool>(), 0..20_000_u64).prop_map(|(end, time)| Part::Time(end, time)),
        1 => word.prop_map(Part::Formatted),
    ]
}

/// The text of XML, escaped in one of the ways that there are.
fn escaped(text: &str, way: usize) -> String {
    let character = |(n, c): (usize, char)| match (c, (way + n) % 3) {
        ('<', 0) => "&lt;".to_owned(),
        ('&', 0) => "&amp;".to_owned(),
        ('<' | '&' | '>', _) | (_, 1) => format!("&#{};", u32::from(c)),
        (_, 2) => format!("&#x{:X};", u32::from(c)),
        _ => c.to_string(),
    };
    text.chars().enumerate().map(character).collect()
}

/// The document, and the text that the words and times of its sentences say.
fn document(sentences: &[Vec<Part>], way: usize) -> (String, String) {
    let blank = ["", "\n  ", "<!-- <w>no</w> -->", " <?p?> "][way % 4];
    let (mut xml, mut text) = (format!("<?xml version='1.0'?>\n<document>{blank}"), String::new());
    let mut last = 0;
    for parts in sentences {
        xml += "<s id='1'>";
        let (mut line, mut end, mut before) = (String::new(), last, String::new());
        for part in parts {
            xml += blank;
            match part {
                Part::Word(word) => {
                    xml += &format!("<w id='1.1'>{}</w>", escaped(word, way));
                    line += if [".", ",", ":", ";", "?", "!", "(", ")", "[", "]", "'"].contains(&&**word) {
                        ""
                    } else {
                        " "
                    };
                    line += word;
                }
                Part::Time(ends, time) => {
                    let (second, milli) = (time / 1000, time % 1000);
                    let clock =
                        format!("{:02}:{:02}:{:02},{milli:03}", second / 3600, second / 60 % 60, second % 60);
                    let id = if *ends { 'E' } else { 'S' };
                    xml += &format!("<time value=\"{clock}\" id=\"T1{id}\" />");
                    if *ends {
                        end = *time;
                    } else if *time > end + 5000 {
                        before += "\n";
                    }
                }
                Part::Formatted(word) => xml += &format!("<i><w>{}</w></i>", escaped(word, way)),
            }
        }
        xml += "</s>";
        if !line.trim().is_empty() {
            text += &format!("{before}{}\n", line.trim());
            last = end;
        }
    }
    (xml + "\n</document>\n", text)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_sentences_come_back(
        sentences in vec(vec(any_part(), 0..6), 0..8),
        way: usize,
        packed: bool,
        mark: bool,
    ) {
        let way = way % 12;
        let (xml, expected) = document(&sentences, way);
        let xml = if mark { format!("\u{feff}{xml}") } else { xml };
        let content = if packed { gzip(xml.as_bytes()) } else { xml.clone().into_bytes() };
        prop_assert_eq!(text(content), expected, "{}", xml);
    }

    #[test]
    fn any_cut_is_refused(sentences in vec(vec(any_part(), 0..4), 1..4), cut: prop::sample::Index) {
        let (xml, _) = document(&sentences, 0);
        let whole = xml.trim_end().len();
        prop_assert!(matches!(read(&xml.as_bytes()[..cut.index(whole)]), Err(Error::Format(_))));
    }

    #[test]
    fn any_bytes_are_read_or_refused(
        parts in vec(prop_oneof![
            "<(d|s|w|i|time|time id='S' value='0:0:9,0'|!--|\\?|!\\[CDATA\\[)/?>?",
            "</(d|s|w|i)>",
            "&(amp|lt|x|#1|#x41);?",
            any::<String>(),
        ], 0..12),
        noise in vec(any::<u8>(), 0..4),
        rooted: bool,
    ) {
        let start = if rooted { "<d><s>" } else { "" };
        let content = [start.as_bytes(), parts.concat().as_bytes(), &noise].concat();
        match read(content) {
            Ok(_) | Err(Error::Format(_)) => {}
            Err(other) => prop_assert!(false, "{other:?}"),
        }
    }
}
