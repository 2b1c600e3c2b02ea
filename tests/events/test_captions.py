"""Captions of films: what was said, and where there was a pause."""

from html import escape
from itertools import cycle, islice

import pytest
import rescorla as rw
from hypothesis import given
from hypothesis import strategies as st
from rescorla._events.captions import captions


def read(text: str) -> list[str]:
    return list(captions(text.splitlines(keepends=True), "film.srt"))


def one(said: str) -> list[str]:
    """A caption, before and after others."""
    return read(
        f"1\n00:00:01,000 --> 00:00:02,000\nbefore\n\n2\n00:00:02,000 --> 00:00:03,000\n{said}\n\n"
        "3\n00:00:03,000 --> 00:00:04,000\nafter\n"
    )


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("One line.", "One line."),
        ("Two\nlines.", "Two lines."),
        ("  blanks \t here  ", "blanks here"),
        ("<i>Never</i> <font color='#fff'>mind</font>.", "Never mind."),
        (r"{\an8}Above, {\i1}slanted{\i0}", "Above, slanted"),
        ("{y:i}slanted", "slanted"),
        ("{normal text}", "{normal text}"),
        ("one<br>two<BR />three\\Nfour\\hfive", "one two three four five"),
        ("un<b>believ</b>able", "unbelievable"),
        ("<i>over\ntwo lines</i>", "over two lines"),
        ("<v Roger Bingham>We are <c.loud.big>here</c>", "We are here"),
        ("so<00:00:02.500><c> it</c><00:00:02.700><c> is</c>", "so it is"),
        ("Tom &amp; Jerry&nbsp;&lt;3 caf&#233; &#xe9;", "Tom & Jerry <3 café é"),
        ("&lt;i&gt; is a tag", "<i> is a tag"),
        ("AT&T &copy &nosuch;", "AT&T &copy &nosuch;"),
        ("a < b, 2<3,5>1, I <3 you", "a < b, 2<3,5>1, I <3 you"),
        ("- Who?\n- Me.", "- Who? - Me."),
        ("[door slams] ♪ La la ♪ (sighs)", "[door slams] ♪ La la ♪ (sighs)"),
        ("Above\n\nbelow", "Above below"),
        ("\n\nlate", "late"),
        ("42", "42"),
        ("Room\n42", "Room 42"),
        ("I bet:\n\n2", "I bet: 2"),
        ("2 -> 3\n<-- look -->", "2 -> 3 <-- look -->"),
        ("NOTE this\n\nNOTE that", "NOTE this NOTE that"),
    ],
)
def test_what_is_said_is_kept_and_nothing_else(said: str, expected: str) -> None:
    assert one(said) == ["before", expected, "after"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Digits are text at the end, before an empty line, and where captions have no numbers.
        ("1\n00:00:01,000 --> 00:00:02,000\nRoom\n2", ["Room 2"]),
        ("1\n00:00:01,000 --> 00:00:02,000\n2\n\n00:00:02,000 --> 00:00:03,000\nb\n", ["2", "b"]),
        (
            "1\n00:00:01,000 --> 00:00:02,000\nI bet\n\n7\n\n00:00:02,000 --> 00:00:03,000\nb\n",
            ["I bet 7", "b"],
        ),
        ("00:00:01,000 --> 00:00:02,000\nRoom\n2\n00:00:02,000 --> 00:00:03,000\nb\n", ["Room 2", "b"]),
        (f"1\n00:00:01,000 --> 00:00:02,000\na\n{'9' * 5000}\n", [f"a {'9' * 5000}"]),
        # Text that is right before times is an identifier in WebVTT alone, and behind an empty line.
        ("1\n00:01,000 --> 00:02,000\nabove\n\nbelow\n00:02,000 --> 00:03,000\nb\n", ["above below", "b"]),
        ("WEBVTT\n\n00:01.000 --> 00:02.000\na\nb\n00:02.000 --> 00:03.000\nc\n", ["a b", "c"]),
        ("WEBVTT\n\n00:01.000 --> 00:02.000\na\n\nb\n\n00:02.000 --> 00:03.000\nc\n", ["a b", "c"]),
        ("WEBVTT\n\n00:01.000 --> 00:02.000\nNOTE is a word\nNOTE well\n", ["NOTE is a word NOTE well"]),
        ("WEBVTT\n\n00:01.000 --> 00:02.000\na\n\nNOTE\n00:02.000 --> 00:03.000\nb\n", ["a", "b"]),
    ],
)
def test_lines_before_times_are_text_or_numbers(text: str, expected: list[str]) -> None:
    assert read(text) == expected


@pytest.mark.parametrize("said", ["", "\n", "<i></i>", r"{\an8}", " "])
def test_captions_without_text_are_left_out(said: str) -> None:
    assert one(said) == ["before", "after"]


@pytest.mark.parametrize(
    "text",
    [
        "1\n00:00:01,000 --> 00:00:02,000\nat first\n\n2\n00:00:02,000 --> 00:00:03,000\nthen\n",
        "\ufeff1\r\n00:00:01,000 --> 00:00:02,000\r\nat first\r\n\r\n"
        "2\r\n00:00:02,000 --> 00:00:03,000\r\nthen",
        # Without numbers; without an empty line between captions; without both.
        "00:00:01,000 --> 00:00:02,000\nat first\n\n00:00:02,000 --> 00:00:03,000\nthen\n",
        "1\n00:00:01,000 --> 00:00:02,000\nat first\n2\n00:00:02,000 --> 00:00:03,000\nthen\n",
        "00:00:01,000 --> 00:00:02,000\nat first\n00:00:02,000 --> 00:00:03,000\nthen\n",
        # An empty line after every line, as where \r\n became \r\r\n; and a cut last caption.
        "1\n\n00:00:01,000 --> 00:00:02,000\n\nat first\n\n2\n\n00:00:02,000 --> 00:00:03,000\n\nthen\n\n3\n",
        # Times of other kinds, and places behind them.
        "1\n0:01.5-->0:02\nat first\n\n7\n00:00:2.00 -->  00:00:3.0\nthen\n",
        "1\n00:00:01,000 --> 00:00:02,000  X1:100 X2:200 Y1:1 Y2:2\nat first\n\n"
        "2\n00:00:02:000 --> 00:00:03:000\nthen\n",
        "1\n00: 00: 01, 000 --> 00:00:02, 000\nat first\n\n\n\n\n2\n00:00:02,000 --> 00:00:03,000\nthen\n",
        # An empty caption whose number has no empty line before it.
        "1\n00:00:01,000 --> 00:00:02,000\n2\n00:00:01,000 --> 00:00:02,000\nat first\n\n"
        "3\n00:00:02,000 --> 00:00:03,000\nthen\n",
        "WEBVTT\n\n00:01.000 --> 00:02.000 align:start position:0%\nat first\n\n"
        "00:02.000 --> 00:03.000\nthen",
        "\ufeffWEBVTT - a title\nKind: captions\nX-TIMESTAMP-MAP=LOCAL:00:00:00.000\n\n"
        "STYLE\n::cue { color: red }\n\nNOTE no caption\nof two lines\n\n"
        "the first one\n00:00:01.000 --> 00:00:02.000\nat first\n\nNOTE nor\nthis\n\nNOTE\nor this\n\n"
        "STYLE\n::cue { color: red }\n\nREGION\nid:fred\nlines:3\n\n"
        "2\n00:00:02.000 --> 00:00:03.000\nthen\n",
        "WEBVTT\n00:01.000 --> 00:02.000\nat first\n\n"
        "WEBVTT\nanother header\n\n00:02.000 --> 00:03.000\nthen",
    ],
)
def test_captions_are_found_however_they_are_written(text: str) -> None:
    assert read(text) == ["at first", "then"]


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        ("00:00:08,000", ["at first", "then"]),
        ("00:00:08,001", ["at first", "", "then"]),
        ("00:00:08.01", ["at first", "", "then"]),
        ("00:00:08,0009", ["at first", "then"]),
        ("00:01:00,000", ["at first", "", "then"]),
        ("01:00:00,000", ["at first", "", "then"]),
        ("00:00:00,000", ["at first", "then"]),
    ],
)
def test_after_more_than_five_seconds_there_is_a_pause(start: str, expected: list[str]) -> None:
    empty = "00:00:05,000 --> 00:59:00,000\n<i></i>\n\n"
    first = f"00:00:01,000 --> 00:00:03,000\nat first\n\n{empty}"
    assert read(f"{first}{start} --> 02:00:00,000\nthen\n") == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "1\n00:00:01,000 --> 00:0x:02,000\na\n",
            r"^film\.srt, line 2: expected times such as 00:00:01,000 --> 00:00:02,500, found "
            r"'00:00:01,000 --> 00:0x:02,000'; correct the times",
        ),
        ("1\n00:00:01,000 --> 00:00:02,000\na\n\n2\n00:00:02,000 -->\nb\n", "line 6: expected times"),
        ("WEBVTT\n\n00:01.000 --> 00:02.000align:start\na\n", "line 3: expected times"),
        ("\nIn the beginning\n", "^film.srt, line 2: expected WEBVTT, .* found 'In the beginning'; give a"),
        ("{10}{20}MicroDVD\n", "line 1: expected WEBVTT"),
    ],
)
def test_what_is_no_caption_is_refused(text: str, message: str) -> None:
    with pytest.raises(rw.FormatError, match=message):
        read(text)


def test_a_file_without_captions_has_none() -> None:
    assert [read(text) for text in ("", "\n\n", "WEBVTT\n", "WEBVTT\n\nNOTE nothing\n")] == [[], [], [], []]


def test_captions_stream() -> None:
    found = captions(cycle(["00:00:01,000 --> 00:00:02,000", "again", ""]), "film.srt")
    assert list(islice(found, 3)) == ["again"] * 3


TEXTS = st.lists(st.text("ab1é<>&{}-", min_size=1, max_size=4), min_size=1, max_size=4).map(" ".join)
CAPTIONS = st.tuples(TEXTS, st.integers(0, 9000), st.integers(0, 9000))


def clock(milliseconds: int, point: str) -> str:
    seconds, rest = divmod(milliseconds, 1000)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}{point}{rest:03}"


@given(
    st.lists(CAPTIONS, max_size=6),
    st.sampled_from([0, 3_590_000]),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["\n", "\r\n"]),
)
def test_all_captions_come_back_in_order(
    drawn: list[tuple[str, int, int]], now: int, is_webvtt: bool, has_numbers: bool, end: str
) -> None:
    lines, expected = ["WEBVTT", ""] if is_webvtt else [], []
    for number, (text, gap, length) in enumerate(drawn):
        start, stop = now + gap, now + gap + length
        if has_numbers:
            lines.append(str(number))
        point = "." if is_webvtt else ","
        # Written as references, so that nothing of it is taken for a tag or a code.
        said = escape(text, quote=False).replace("{", "&lcub;")
        lines += [f"{clock(start, point)} --> {clock(stop, point)}", *said.split(" "), ""]
        expected += [""] if number and gap > 5000 else []
        expected.append(text)
        now = stop
    assert list(captions([line + end for line in lines], "film.srt")) == expected
