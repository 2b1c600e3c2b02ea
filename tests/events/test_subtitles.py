"""Subtitles: the lines and documents of pyndl's corpus."""

import gzip
from pathlib import Path
from typing import Literal
from xml.sax.saxutils import escape

import pytest
import rescorla as rw
from hypothesis import given
from hypothesis import strategies as st

WORDS = st.one_of(st.sampled_from(".,:;?!()[]'"), st.text("abcé'&<> ", min_size=1, max_size=4))
# Whole seconds: pyndl takes milliseconds for frames.
TIMES = st.tuples(st.sampled_from("SE"), st.integers(0, 40))


def xml(sentences: list[list[object]]) -> bytes:
    parts = ["<?xml version='1.0' encoding='utf-8'?>\n<document>"]
    for sentence in sentences:
        parts.append("<s>")
        for part in sentence:
            if isinstance(part, tuple):
                parts.append(f'<time id="T1{part[0]}" value="00:00:{part[1]:02},000" />')
            else:
                parts.append(f"<w>{escape(str(part))}</w>")
        parts.append("</s>\n")
    return "".join([*parts, "</document>\n"]).encode()


@pytest.mark.filterwarnings("ignore:.*this file is empty")
@given(
    st.lists(st.lists(st.one_of(WORDS, TIMES), max_size=6), max_size=8),
    st.sampled_from(["line", "paragraph"]),
)
def test_subtitles_are_the_text_of_pyndl(
    folder: Path, sentences: list[list[object]], context: Literal["line", "paragraph"]
) -> None:
    pyndl_corpus = pytest.importorskip("pyndl.corpus")
    packed, text = folder / "film.xml.gz", folder / "film.txt"
    packed.write_bytes(gzip.compress(xml(sentences), 1))
    lines = pyndl_corpus.read_clean_gzfile(packed, break_duration=5.0)
    text.write_text("".join(lines), encoding="utf-8")
    subtitles = rw.corpus_events(packed, format="subtitles", context=context, window=3)
    assert list(subtitles) == list(rw.corpus_events(text, context=context, window=3, format="text"))


def test_subtitles_of_pyndl(shared: Path) -> None:
    """pyndl's own two documents; their text is in its test_create_corpus_from_gz."""
    events = rw.corpus_events(
        str(shared / "data/pyndl/xml_gz_corpus/**/*.xml.gz"),
        format="subtitles",
        cues_from="words",
        window="context",
    )
    assert [event.outcomes for event in events] == [
        ("a", "b:"),
        ("m.",),
        ("n", "o."),
        ("aa", "bb:"),
        ("mm.",),
        ("nn", "oo."),
    ]


def test_a_defect_has_its_place_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "film.xml"
    path.write_text('<document>\n<s><time id="T1S" value="soon"/><w>a</w></s></document>')
    with pytest.raises(rw.FormatError, match=r"film\.xml, line 2, column \d+: expected .*time"):
        rw.corpus_events(path, format="subtitles")
