"""A word on each line: the relatives of CoNLL-U, and vertical text."""

from itertools import cycle, islice

import pytest
import rescorla as rw
from hypothesis import given
from hypothesis import strategies as st
from rescorla._events.conll import conll


def read(text: str) -> list[list[str]]:
    return list(conll(text.splitlines(keepends=True), "text.conll"))


EXPECTED = [["The", "dog", "ran"], ["It", "slept"]]


@pytest.mark.parametrize(
    "text",
    [
        # CoNLL-X and 2006; CoNLL-2009; blanks between; numbers of sentences; no number of columns.
        "1\tThe\tthe\tDT\n2\tdog\tdog\tNN\n3\tran\trun\tVBD\n\n1\tIt\tit\tPRP\n2\tslept\tsleep\tVBD\n\n",
        "\ufeff1\tThe\t_\t_\t_\r\n2\tdog\t_\t_\t_\r\n3\tran\t_\t_\t_\r\n\r\n1\tIt\t_\r\n2\tslept\t_",
        " 1  The  DT\n 2  dog  NN\n10 \tran VBD\n \n\t\n1  It  PRP\n2  slept  VBD\n",
        "1_1\tThe\n1_2\tdog\n1_3\tran\n\n2_1\tIt\n2_2\tslept\n",
        # Comments, ranges and empty nodes, as in CoNLL-U.
        "# sent_id = 1\n# text = The dog ran\n1-2\tThedog\t_\n1\tThe\t_\n2\tdog\t_\n2.1\twho\t_\n3\tran\t_\n"
        "\n#another\n0.1\the\t_\n1\tIt\t_\n2\tslept\t_\n",
        "#\thttp://a.b [2010-01-01]\n1\tThe\tO\tO\n2\tdog\tO\tO\n3\tran\tO\tO\n\n"
        "#\thttp\n1\tIt\tO\n2\tslept\tO\n",
        # CoNLL-U Plus.
        "# global.columns = ID FORM UPOS\n1-2\tThedog\t_\n1\tThe\t_\n2\tdog\t_\n3\tran\t_\n\n"
        "1\tIt\t_\n2\tslept\t_\n",
        "#global.columns=UPOS ID FORM\nD\t1\tThe\nN\t2\tdog\nV\t3\tran\n\n# x\nP\t1\tIt\nV\t2\tslept\n",
        "# global.columns = FORM UPOS\nThe\tD\ndog\tN\nran\tV\n\n# x\nIt\tP\nslept\tV\n",
        # CoNLL-2000 and 2003.
        "The DT B-NP\ndog NN I-NP\nran VBD B-VP\n\nIt PRP B-NP\nslept VBD B-VP\n",
        "-DOCSTART- -X- O O\n\nThe DT O O\ndog NN O O\nran VBD O O\n-DOCSTART- -X- O O\n"
        "It PRP O O\nslept VBD O O\n",
        "The\ndog\nran\n\n\n\nIt\nslept",
        # CoNLL-2012.
        "#begin document (bc/0); part 000\nbc/0 0 0 The DT\nbc/0 0 1 dog NN\nbc/0 0 2 ran VBD\n\n"
        "bc/0 0 0 It PRP\nbc/0 0 1 slept VBD\n#end document\n",
        # Vertical text.
        '<?xml version="1.0"?>\n<!-- a -->\n<text id="a > b" n=\'1\'>\n<s>\nThe\tDT\tthe\ndog\tNN\tdog\n'
        "<g/>\nran\tVBD\trun\n</s>\n<s n='2'>\nIt\tPRP\tit\nslept\tVBD\tsleep\n</s>\n</text>\n",
        "<doc>\n<p>\nThe\tDT\n<span n='b'>\ndog\tNN\n</span>\nran\tVBD\n</p>\n"
        "<p>\nIt\tPRP\nslept\tVBD\n</p>\n</doc>\n",
        "  <sentence>\n  The\tDT\n  dog\tNN\n  ran\tVBD\n  </sentence>\n  It\tPRP\n  slept\tVBD\n",
        "<s>\n1\tThe\tDT\n2\tdog\tNN\n3\tran\tVBD\n</s>\n<s>\n1\tIt\tPRP\n2\tslept\tVBD\n</s>\n",
    ],
)
def test_words_are_found_in_all_kinds_of_columns(text: str) -> None:
    assert read(text) == EXPECTED


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # What only looks like a number, a comment, a tag or a blank.
        ("1 CD O\n. . O\n", [["1", "."]]),
        ("1 CD O\n\nyes UH O\n", [["1"], ["yes"]]),
        ("1\tyes\n\n# next\n\n1\tno\n", [["yes"], ["no"]]),
        ("1\tyes\n", [["yes"]]),
        ("10 CD\n20 CD\n", [["10", "20"]]),
        ("1996-08-22 CD O\n1996 CD O\n", [["1996-08-22", "1996"]]),
        ("1\tCD\n<g/>\n.\tSENT\n", [["1", "."]]),
        ("1\n2\n", [["1", "2"]]),
        ("a DT\n# # O\n#1 NN\n", [["a", "#", "#1"]]),
        ("# a comment\n\n# another\na DT\n# #\n", [["a", "#"]]),
        ("<\tSYM\n<b\tSYM\t>\n<b>\tSYM\t<b>\n<3\tSYM\n>\tSYM\n", [["<", "<b", "<b>", "<3", ">"]]),
        ("1\t#\n2\t<s>\n3\t-DOCSTART-\n4\t_\n", [["#", "<s>", "-DOCSTART-", "_"]]),
        ("1\t10 000\t_\n2\tNew York\t_\n", [["10 000", "New York"]]),
        ("New York\tNP\nin\tIN\nLos Angeles\n", [["New York", "in", "Los Angeles"]]),
        ("10\u00a0000 CD\n\u3000x NN\n", [["10\u00a0000", "x"]]),
        # References are decoded where there are tags.
        ("<s>\n\nAT&amp;T\tNP\n&lt;\tSYM\n&quot;\tSYM\n</s>\n", [["AT&T", "<", '"']]),
        ("AT&amp;T\tNP\n", [["AT&amp;T"]]),
        ("1-2\tdu\n1\tde\n2\tle\n", [["de", "le"]]),
        ("", []),
        ("\n\n# nothing\n\n", []),
        ("<s>\n</s>\n", []),
    ],
)
def test_words_are_taken_as_they_are(text: str, expected: list[list[str]]) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "1\tThe\tDT\n2\tdog\tNN\nran\tVBD\n",
            r"^text\.conll, line 3: expected a word in column 2 of those between tabs, and its number, such "
            r"as 1, 1-2 or 1\.1, in column 1, found 'ran\\tVBD'; write all columns",
        ),
        ("1\tThe\tDT\n2\tdog\tNN\n3\n", "line 3: expected a word in column 2"),
        ("1\tThe\tDT\n2\n", "line 2: expected a word in column 2"),
        ("1\tThe\tDT\n2\t\tNN\n", "line 2: expected a word in column 2"),
        ("1 The DT\n2 dog NN\nran VBD\n", "line 3: expected a word in column 2 of those between blanks"),
        ("1\tThe\tDT\n2\tdog\tNN\n3 ran VBD\n", "line 3: expected a word in column 2 of those between tabs"),
        ("The\tDT\n\tNN\n", r"line 2: expected a word in column 1 of those between tabs, found '\\tNN'"),
        ("#begin document\na 0 0 The\n\na 0 1\n", "line 4: expected a word in column 4"),
        ("# global.columns = ID WORD\n1\ta\n", "line 1: expected FORM among the columns, found '# global"),
        ("# global.columns = ID FORM\n1\ta\nx\tb\n", "line 3: expected a word in column 2"),
    ],
)
def test_lines_without_a_word_are_refused(text: str, message: str) -> None:
    with pytest.raises(rw.FormatError, match=message):
        read(text)


def test_columns_stream() -> None:
    assert list(islice(conll(cycle(["1\ta\n", "2\tb\n", "\n"]), "text.conll"), 3)) == [["a", "b"]] * 3


WORDS = st.text("ab1é#-_<.", min_size=1, max_size=3)
SENTENCES = st.lists(st.lists(WORDS, min_size=1, max_size=4), max_size=4)


@given(SENTENCES, st.sampled_from(["{n}\t{word}\t_\n", "{n} {word} _\n", "{n}\t{word}\n"]))
def test_numbered_words_come_back(sentences: list[list[str]], row: str) -> None:
    lines = [
        line
        for sentence in sentences
        for line in (*(row.format(n=n, word=word) for n, word in enumerate(sentence, 1)), "\n")
    ]
    assert list(conll(lines, "text.conll")) == sentences


@given(SENTENCES, st.sampled_from(["{word}\tNN\n", "{word} NN\r\n", "{word}\n"]), st.booleans())
def test_words_in_the_first_column_come_back(sentences: list[list[str]], row: str, is_tagged: bool) -> None:
    # The first word is no number and no comment.
    sentences = [["The", *sentence] for sentence in sentences]
    ends = ("<s>\n", "</s>\n") if is_tagged else ("", "\n")
    lines = [
        line for each in sentences for line in (ends[0], *(row.format(word=word) for word in each), ends[1])
    ]
    assert list(conll(lines, "text.conll")) == sentences
