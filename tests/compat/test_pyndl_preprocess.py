"""`rescorla.compat.pyndl.preprocess` beside pyndl's: the same event files from any text, by any option."""

import contextlib
import random
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import rescorla as rw
from beside_pyndl import NAMES, REASON, beside, case, content, raised, rows, text, write

pyndl = pytest.importorskip("pyndl", reason=REASON)

from pyndl import preprocess as theirs  # noqa: E402
from rescorla.compat.pyndl import preprocess as ours  # noqa: E402

PIECES = [
    *NAMES,
    *(
        "in",
        "the",
        "The",
        "beginning",
        "ÄÖ",
        "ß",
        "İ",
        "क्ष",
        "a\u0301",
        "𐐀",
        "don't",
        "---",
        "_",
        "#",
        "\t",
        "a_b",
    ),
    *[" "] * 20,
    *("  ", "\n", "\n", "\n\n", "\r\n", "\r", "\x0b", "\x1c", "\u00a0", "\u2028", "\x85", "\u3000"),
    *("---end.of.document---", "---END.OF.DOCUMENT---", "---end of document---"),
]
STRUCTURES: list[tuple[str, Any]] = [
    *(("consecutive_words", (n,)) for n in (1, 2, 3, 5)),
    *(("word_to_word", pair) for pair in ((1, 1), (2, 0), (0, 2), (3, 1), (0, 0))),
    ("line", None),
    ("line", (3,)),
]
CUES = ["trigrams_to_word", "bigrams_to_word", "word_to_word"]


def is_letter(character: str) -> bool:
    """Which symbols are allowed."""
    return character.isalpha() or character == "'"


def in_order(table: str, sort: bool) -> list[tuple[list[str], ...]]:
    """The cells of the rows of a table; where pyndl leaves the order to chance, sorted."""
    cells = [tuple(cell.split("_") for cell in line.split("\t")) for line in table.split("\n")]
    return [tuple(sorted(cell) for cell in row) if sort else row for row in cells]


def test_create_event_file_writes_the_events_of_pyndl(seeds: Iterator[int], tmp_path: Path) -> None:
    corpus, files = tmp_path / "text.txt", [tmp_path / "ours.tab.gz", tmp_path / "theirs.tab.gz"]
    for seed in (5 * one + part for one in seeds for part in range(5)):
        with case(seed) as rng:
            written = "".join(rng.choices(PIECES, k=rng.randint(0, 60)))
            corpus.write_text(written, encoding="utf-8", newline="")
            structure, how = rng.choice(STRUCTURES)
            options: dict[str, Any] = {
                "allowed_symbols": rng.choice(["all", "a-z", "a-zA-Z'", r"\w", is_letter]),
                "context_structure": rng.choice(["document", "line"]),
                "event_structure": structure,
                "event_options": how,
                "cue_structure": rng.choice(CUES),
                "lower_case": rng.random() < 0.5,
                "remove_duplicates": rng.random() < 0.5,
            }
            said = []
            for module, file in zip((ours, theirs), files, strict=True):
                file.unlink(missing_ok=True)
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    module.create_event_file(corpus, file, **options)
                said.append([str(each.message) for each in caught if issubclass(each.category, UserWarning)])
            found, expected = map(content, files)
            sort = options["remove_duplicates"]
            assert in_order(found, sort) == in_order(expected, sort), (options, written)
            assert said[0] == said[1]


def change(rng: random.Random, side: str) -> dict[str, Any]:
    """What becomes of the names of one side."""
    some = rng.sample([*NAMES, ""], k=rng.randint(0, 12))
    kind = rng.choice(["all", "nothing", "keep", "remove", "map"])
    if kind == "map":
        return {f"{side[:-1]}_map": {name: rng.choice([*NAMES, "", "new"]) for name in some}}
    if kind == "all":
        return {f"keep_{side}": "all"}
    if kind == "nothing":
        return {}
    return {f"{kind}_{side}": rng.choice([list, set, tuple])(some)}


def test_filter_event_file_writes_the_file_of_pyndl(seeds: Iterator[int], tmp_path: Path) -> None:
    files = [tmp_path / "ours.tab.gz", tmp_path / "theirs.tab.gz"]
    for seed in seeds:
        with case(seed) as rng:
            events = rows(rng, twice=True)
            path = str(write(tmp_path / "e.tab.gz", events, rng, frequencies=False))
            options = change(rng, "cues") | change(rng, "outcomes") | {"n_jobs": rng.randint(1, 2)}
            ours.filter_event_file(path, files[0], chunksize=rng.randint(1, 9), **options)
            beside(theirs.filter_event_file, path, files[1], chunksize=3, **options)
            assert content(files[0]) == content(files[1])


def test_bandsample_draws_what_pyndl_draws_where_counts_differ(seeds: Iterator[int]) -> None:
    for seed in seeds:
        with case(seed) as rng:
            counts = rng.sample(range(1, 400), k=rng.randint(1, 100))
            population = Counter({f"w{i}": n for i, n in enumerate(counts)})
            kept = population.copy()
            args: dict[str, Any] = {"sample_size": rng.randint(1, 60), "cutoff": rng.randint(0, 50)}
            found = ours.bandsample(population, **args)
            assert found == theirs.bandsample(population, **args)
            assert type(found) is Counter
            assert population == kept
            # Which of equally frequent names are drawn is left to chance, how many of them is not.
            same = Counter({f"w{i}": rng.randint(1, 8) for i in range(100)})
            found, expected = (module.bandsample(same, **args) for module in (ours, theirs))
            assert sorted(found.values()) == sorted(expected.values())


WRONG: dict[str, tuple[str, tuple[Any, ...], dict[str, Any]]] = {
    "sentences": ("create_event_file", ("t.txt", "new.gz"), {"event_structure": "sentence"}),
    "paragraphs": ("create_event_file", ("t.txt", "new.gz"), {"context_structure": "paragraph"}),
    "unigrams": ("create_event_file", ("t.txt", "new.gz"), {"cue_structure": "unigrams_to_word"}),
    "an output that is there": ("create_event_file", ("t.txt", "e.tab.gz"), {}),
    "no text": ("create_event_file", ("missing.txt", "new.gz"), {}),
    "two numbers of words": ("create_event_file", ("t.txt", "new.gz"), {"event_options": (1, 2)}),
    "no number": ("create_event_file", ("t.txt", "new.gz"), {"event_options": None}),
    "one neighbour": (
        "create_event_file",
        ("t.txt", "new.gz"),
        {"event_structure": "word_to_word", "event_options": (1,)},
    ),
    "keep and remove": (
        "filter_event_file",
        ("e.tab.gz", "new.gz"),
        {"keep_cues": ["a"], "remove_cues": ["b"]},
    ),
    "keep and map": (
        "filter_event_file",
        ("e.tab.gz", "new.gz"),
        {"keep_outcomes": ["a"], "outcome_map": {}},
    ),
    "remove and map": ("filter_event_file", ("e.tab.gz", "new.gz"), {"remove_cues": [], "cue_map": {}}),
    "three columns": ("filter_event_file", ("three.tab.gz", "new.gz"), {}),
    "no event file": ("filter_event_file", ("missing.gz", "new.gz"), {}),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_preprocess_refuses_what_pyndl_refuses(
    wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text(tmp_path / "e.tab.gz", "cues\toutcomes\na\tx\n")
    text(tmp_path / "three.tab.gz", "cues\toutcomes\na\tx\t1\n")
    (tmp_path / "t.txt").write_text("in the beginning")
    name, args, kwargs = WRONG[wrong]
    found = raised(getattr(ours, name), *args, **kwargs)
    assert not (tmp_path / "new.gz").exists()
    with contextlib.suppress(FileNotFoundError):
        (tmp_path / "new.gz").unlink()
    expected = raised(getattr(theirs, name), *args, **kwargs)
    assert isinstance(found, type(expected)), (found, expected)


def test_the_old_name_of_n_jobs_warns_as_in_pyndl(tmp_path: Path) -> None:
    path = text(tmp_path / "e.tab.gz", "cues\toutcomes\na\tx\n")
    for module in (ours, theirs):
        with pytest.warns(DeprecationWarning, match="n_jobs|n_outcomes_per_job") as caught:
            module.filter_event_file(path, tmp_path / "new.tab.gz", number_of_processes=1)
        assert [warning.filename for warning in caught] == [__file__]


def test_a_seed_draws_the_same_sample_again() -> None:
    counts = {f"w{i}": 5 for i in range(100)}
    assert ours.bandsample(counts, 10, seed=3) == ours.bandsample(counts, 10, seed=3)
    assert list(ours.bandsample(counts, 10, seed=3)) == list(rw.bandsample(counts, 10, seed=3))
    assert isinstance(raised(theirs.bandsample, counts, 10, seed=3), NotImplementedError)
