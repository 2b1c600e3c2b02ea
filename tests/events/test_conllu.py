"""CoNLL-U: words, lemmas, parts of speech and features of treebanks."""

import lzma
from pathlib import Path
from typing import Any, Literal

import pytest
import rescorla as rw

TEXT = """# newdoc
1-2\tVámonos\t_\t_\t_\t_\t_\t_\t_\t_
1\tVamos\tir\tVERB\t_\tMood=Imp|Number=Plur\t0\troot\t_\t_
2\tnos\t_\tPRON\t_\tCase=Acc\t1\tobj\t_\t_

# newpar
1\tSí\tsí\tINTJ\t_\t_\t0\troot\t_\t_
1.1\tvoy\tir\tVERB\t_\t_\t_\t_\t_\t_
2\t!\t!\tPUNCT\t_\t_\t1\tpunct\t_\t_

# newdoc
1\tno\tno\tINTJ\t_\t_\t0\troot\t_\t_
"""


def events(path: Path, **options: Any) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    return [(e.cues, e.outcomes) for e in rw.corpus_events(path, format="conllu", **options)]


@pytest.fixture
def treebank(tmp_path: Path) -> Path:
    path = tmp_path / "es.conllu"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_what_a_treebank_says_gives_names(treebank: Path) -> None:
    assert events(treebank, cues_from="bigrams", outcomes_from=["lemmas", "features"])[:2] == [
        (("#v", "va", "am", "mo", "os", "s#"), ("ir", "Mood=Imp", "Number=Plur")),
        (("#n", "no", "os", "s#"), ("Case=Acc",)),
    ]
    assert [outcomes for _, outcomes in events(treebank, cues_from="lemmas", outcomes_from="upos")] == [
        ("VERB",), ("PRON",), ("INTJ",), ("PUNCT",), ("INTJ",),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("context", "expected"),
    [
        ("line", [("vamos", "nos"), ("sí", "!"), ("no",)]),
        ("sentence", [("vamos", "nos"), ("sí", "!"), ("no",)]),
        ("paragraph", [("vamos", "nos"), ("sí", "!"), ("no",)]),
        ("document", [("vamos", "nos", "sí", "!"), ("no",)]),
    ],
)
def test_contexts_are_those_of_the_treebank(
    treebank: Path, context: str, expected: list[tuple[str, ...]]
) -> None:
    found = events(treebank, cues_from="words", outcomes_from=None, window="context", context=context)
    assert [cues for cues, _ in found] == expected
    assert all(outcomes == () for _, outcomes in found)


def test_words_are_cased_and_left_out_as_asked(treebank: Path) -> None:
    assert [cues for cues, _ in events(treebank, cues_from="words", lower=False, symbols=r"\p{L}")] == [
        ("Vamos",), ("nos",), ("Sí",), ("no",),
    ]  # fmt: skip
    assert [cues for cues, _ in events(treebank, cues_from="words", stop_words=["nos", "sí"])] == [
        ("vamos",), ("!",), ("no",),
    ]  # fmt: skip


def test_a_defect_has_its_place(treebank: Path) -> None:
    treebank.write_text(TEXT + "1\tx\n", encoding="utf-8")
    with pytest.raises(rw.FormatError, match="line 13, column 4: expected 10 columns, found 2"):
        events(treebank)


@pytest.mark.filterwarnings("ignore:.*this looks like CoNLL-U")
def test_what_only_a_treebank_says_is_refused_of_text(treebank: Path) -> None:
    with pytest.raises(ValueError, match="the format 'conllu' only"):
        rw.corpus_events(treebank, outcomes_from="lemmas", format="text")
    with pytest.raises(TypeError, match="is for files"):
        rw.corpus_events(["a"], format="conllu")


@pytest.mark.parametrize("name", ["en_ewt-ud-dev", "fi_tdt-ud-dev"])
@pytest.mark.parametrize("context", ["line", "document"])
def test_treebanks_are_read_as_by_hand(shared: Path, name: str, context: Literal["line", "document"]) -> None:
    path = shared / "data" / "ud" / f"{name}.conllu.xz"
    contexts: list[list[tuple[str, list[str]]]] = [[]]
    for line in lzma.decompress(path.read_bytes()).decode().splitlines(keepends=True):
        cells = line.rstrip("\n").split("\t")
        if len(cells) == 10 and cells[0].isdigit():
            lemma = [] if cells[2] == "_" and cells[1] != "_" else [cells[2].lower()]
            contexts[-1].append((cells[1].lower(), lemma + [f for f in cells[5].split("|") if f != "_"]))
        elif line.startswith("# newdoc") or (context == "line" and line == "\n"):
            contexts.append([])
    expected = []
    for words in contexts:
        for i in range(len(words) + (len(words) > 1)):
            window = words[max(0, i - 1) : i + 1]
            cues = tuple(dict.fromkeys(form for form, _ in window))
            expected.append((cues, {name for _, names in window for name in names}))
    found = rw.corpus_events(
        path,
        format="conllu",
        cues_from="words",
        outcomes_from=["lemmas", "features"],
        window=2,
        context=context,
    )
    assert [(event.cues, set(event.outcomes)) for event in found] == expected
