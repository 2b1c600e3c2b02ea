"""Transcripts of CHILDES and TalkBank, in the format CHAT (.cha)."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from itertools import chain

import rescorla._core as _core

_SPEAKER = re.compile(r"\*([^\s:]+):")

# Times in the recording, pauses such as (.) and (1.5), and punctuation that may touch words.
_BETWEEN = re.compile(r'\x15[^\x15]*\x15?|•?\b\d+_\d+\b•?|\([\d:.]+\)|[,;"“”«»„‡、，。？！؟،؛।…]')
# Codes in brackets, brackets of groups, and what stands between blanks. "+<" opens no group: it says that the
# utterance overlaps the one before.
_PARTS = re.compile(r"\[[^\[\]]*\]|\+<|[<>\[\]]|[^\s<>\[\]]+")
# What kind of form a word is, and its part of speech.
_KIND = re.compile(r"[@$].*")
_OMITTED = re.compile(r"\([^()]*\)[.?!]*")
# Repeated beginnings of words; overlaps, and marks of lengthening, stress, parts of words, voice and pitch.
_MARKS = re.compile("↫[^↫]*↫|[⌈⌉⌊⌋]\\d?|[\x01-\x08()‹›〔〕:^ˈˌ+_~↑↓≠∾⁑⤇∙Ἡ↻⤆∆∇°▁▔☺♋⁇∬Ϋ∮⁎◉§⇗↗→↘⇘↖↙←≈≋∞≡]")
_UNKNOWN = ("xxx", "yyy", "www", "xx", "yy")


def chat(
    lines: Iterable[str],
    name: str,
    speakers: Container[str] | None = None,
    occurred: set[str] | None = None,
) -> Iterator[list[str]]:
    """The words of each utterance in one file in the format CHAT, of all speakers or of some.

    `speakers` are codes such as "CHI" and "MOT". The code of every speaker who occurs is added to `occurred`.

    Words are what the tier %mor counts, that is, what a speaker meant to say:

    - What a speaker repeated or took back, before ``[/]``, ``[//]``, ``[///]``, ``[/-]`` or ``[/?]``, is left
      out, and so is what ``[e]`` excludes. ``dog [x 3]`` counts once.
    - A target replaces what was said: ``gonna [: going to]`` gives "going" and "to". But in place of a real
      word, as in ``piece [:: peach]``, it does not.
    - Fillers (``&-uh``), fragments (``&+fr``) and all else that begins with ``&`` are no words. Nor is what
      was not said (``0is``, or a whole word in brackets) or not understood (``xxx``, ``yyy``, ``www``).
    - Sounds that were not said are written: ``(be)cause`` gives "because".
    - A compound is one word: ``ice+cream`` and ``choo_choo`` give "icecream" and "choochoo". So no word has
      the "_" that joins names in event tables.

    Form markers (``gumma@c``), marks of pronunciation, pauses, punctuation, codes in brackets, headers and
    dependent tiers are left out. So are utterances without words. Capital letters are kept.
    """
    for number, speaker, said in _utterances(lines, name):
        if occurred is not None:
            occurred.add(speaker)
        if (speakers is None or speaker in speakers) and (words := _words(said, f"{name}, line {number}")):
            yield words


def _utterances(lines: Iterable[str], name: str) -> Iterator[tuple[int, str, str]]:
    """The line, the speaker and the text of each main tier, with the lines in which it goes on."""
    begin, speaker = 0, ""
    said: list[str] = []
    for number, line in enumerate(lines, 1):
        line = line.lstrip("\ufeff")
        if line.isspace() or not line:
            continue
        if line[0].isspace() and begin:
            said.append(line)
            continue
        if speaker:
            yield begin, speaker, " ".join(said)
        found = _SPEAKER.match(line)
        if not found and line[0] not in "@%":
            raise _core.FormatError(
                f"{name}, line {number}: expected a speaker such as *CHI: or a line that begins with @ or %, "
                f"found {line.rstrip()[:40]!r}; begin the line with a tab if it continues the one before, or "
                "give a file in the format CHAT"
            )
        begin, speaker = number, found[1] if found else ""
        said = [line[found.end() :]] if found else []
    if speaker:
        yield begin, speaker, " ".join(said)


def _words(said: str, place: str) -> list[str]:
    """The words of an utterance. A code in brackets is about the word or the group before it."""
    # The units of the utterance and of each open group: the words of a word, or of a whole group.
    groups: list[list[list[str]]] = [[]]
    for part in _PARTS.findall(_BETWEEN.sub(" ", said)):
        units, code = groups[-1], part[1:-1]
        if part == "<":
            groups.append([])
        elif part == ">" and len(groups) > 1:
            groups.pop()
            groups[-1].append(_joined(units))
        elif part in (">", "[", "]"):
            raise _core.FormatError(f"{place}: expected brackets in pairs, found one {part}; add the other")
        elif part[0] != "[":
            units += _unit(part)
        elif units and (code[:1] == "/" or code == "e"):
            # The unit stays, without words: the same may be marked as taken back twice.
            units[-1] = []
        elif units and code[:1] == ":" and code[1:2] != ":":
            units[-1] = _joined(chain.from_iterable(map(_unit, code[1:].split())))
    if len(groups) > 1:
        raise _core.FormatError(f"{place}: expected brackets in pairs, found one <; add the other")
    return _joined(groups[0])


def _joined(units: Iterable[list[str]]) -> list[str]:
    return list(chain.from_iterable(units))


def _unit(part: str) -> list[list[str]]:
    """What stands between blanks, as a unit: of one word, or of none where it is no word. Or no unit."""
    word = _KIND.sub("", part)
    is_omitted = _OMITTED.fullmatch(word)
    word = _MARKS.sub("", word).strip(".?!")
    if is_omitted or word[:1] in ("&", "0") or word.lower() in _UNKNOWN:
        return [[]]
    return [[word]] if any(map(str.isalnum, word)) else []
