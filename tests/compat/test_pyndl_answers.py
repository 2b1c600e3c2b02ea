"""Where pyndl waits for ever, breaks, or is wrong: what `rescorla.compat.pyndl` answers.

`docs/api/pyndl.md` lists each. pyndl is not needed here.
"""

import copy
import gzip
import os
import pickle
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rescorla as rw
from beside_pyndl import text

pytest.importorskip("xarray", reason="xarray is not installed: pip install 'rescorla[pyndl]'")

import xarray as xr
from rescorla.compat import pyndl
from rescorla.compat.pyndl import (
    activation,
    corpus,
    correlation,
    count,
    io,
    ndl,
    preprocess,
    wh,
)

BETAS = 0.1, 0.1


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return text(tmp_path / "e.tab.gz", "cues\toutcomes\na_b\tx\nb\ty\n")


def test_the_import_is_all_that_changes(table: Path) -> None:
    code = """
import rescorla.compat.pyndl as pyndl
from rescorla.compat.pyndl import ndl, preprocess
assert pyndl.ndl is ndl and pyndl.activation.activation
weights = ndl.ndl("e.tab.gz", alpha=0.1, betas=(0.1, 0.1))
assert weights.loc["x", "a"] == weights.loc[{"outcomes": "x", "cues": "a"}]
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=table.parent)


def test_julia_finds_what_it_looks_for(table: Path) -> None:
    # As JudiLing.jl has it: pyimport("pyndl.ndl").ndl(...), and the names of cues and outcomes from `coords`.
    from importlib import import_module

    weights = import_module("rescorla.compat.pyndl.ndl").ndl(
        events=str(table), alpha=0.1, betas=(0.1, 0.1), method="openmp", remove_duplicates=True
    )
    coords = weights.coords.to_dataset()
    assert list(coords.cues.data) == ["a", "b"]
    assert list(coords.outcomes.data) == ["x", "y"]
    assert weights.data.shape == (2, 2)
    assert type(weights.data) is np.ndarray


def test_without_xarray_the_import_says_what_to_install() -> None:
    code = "import sys; sys.modules['xarray'] = None; import rescorla.compat.pyndl"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert "ImportError: this needs xarray: pip install 'rescorla[pyndl]'" in done.stderr


def test_pyndl_itself_is_not_loaded(table: Path) -> None:
    code = """
import sys
from rescorla.compat.pyndl import activation, corpus, correlation, count, io, ndl, preprocess, wh
ndl.ndl("e.tab.gz", 0.1, (0.1, 0.1))
assert not any(name.partition(".")[0] == "pyndl" for name in sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=table.parent)


def test_its_names_are_shown() -> None:
    assert dir(pyndl) == sorted(pyndl.__all__)
    for name in pyndl.__all__:
        assert getattr(pyndl, name)
    with pytest.raises(AttributeError, match="no attribute 'openmp'"):
        pyndl.openmp  # noqa: B018
    assert pyndl.__version__ == f"1.2.4+rescorla.{rw.__version__}"


def test_duplicates_are_an_error_at_once(tmp_path: Path) -> None:
    path = text(tmp_path / "e.tab.gz", "cues\toutcomes\na\tx\na_a\tx\n")
    for call in (ndl.ndl, lambda *args: wh.wh(args[0], args[1])):
        with pytest.raises(ValueError, match=r"e.tab.gz.*'?a'?"):
            call(path, 0.1, BETAS)
    assert ndl.ndl(path, 0.1, BETAS, remove_duplicates=True).shape == (1, 1)


@pytest.mark.parametrize("content", ["cues\toutcomes\n", "cues\toutcomes", ""])
def test_a_table_of_no_events_has_no_weights(content: str, tmp_path: Path) -> None:
    path = text(tmp_path / "e.tab.gz", content)
    weights = ndl.ndl(path, 0.1, BETAS)
    assert weights.shape == (0, 0)
    assert weights.attrs["number_events"].strip() == "0"
    assert count.cues_outcomes(path) == (0, {}, {})
    assert ndl.dict_ndl(path, 0.1, BETAS) == {}
    before = ndl.data_array({"x": {"a": 0.5}}, attrs={})
    assert ndl.ndl(path, 0.1, BETAS, weights=before).equals(before)
    assert activation.activation(path, before).shape == (1, 0)
    vectors = xr.DataArray(np.ones((1, 2)), [("cues", ["a"]), ("cue_vector_dimensions", ["p", "q"])])
    assert wh.wh(path, 0.1, cue_vectors=vectors).shape == (0, 2)


def test_full_temporary_files_are_no_trouble(tmp_path: Path) -> None:
    path = text(tmp_path / "e.tab.gz", "cues\toutcomes\n" + "a\tx\n" * 4)
    weights = ndl.ndl(path, 0.1, BETAS, events_per_temporary_file=2)
    assert weights.attrs["number_events"].strip() == "4"


def test_columns_are_found_by_their_names(tmp_path: Path) -> None:
    path = text(tmp_path / "e.tab.gz", "Frequency\tOutcomes\tCues\n2\tx\ta_b\n")
    assert list(io.events_from_file(path)) == [(["a", "b"], ["x"])] * 2
    assert ndl.ndl(path, 0.1, BETAS).coords["outcomes"].values.tolist() == ["x"]


def test_a_transposed_array_is_read_by_its_dimensions(table: Path) -> None:
    weights = ndl.ndl(table, 0.1, BETAS)
    assert ndl.ndl(table, 0.1, BETAS, weights=weights.T).equals(ndl.ndl(table, 0.1, BETAS, weights=weights))
    found = activation.activation(table, weights.T)
    assert found.equals(activation.activation(table, weights))
    nested = [ndl.dict_ndl(table, 0.1, BETAS, weights=each) for each in (weights, weights.T)]
    assert nested[0] == nested[1]


def test_a_frequency_of_less_than_nothing_is_an_error(tmp_path: Path) -> None:
    path = text(tmp_path / "e.tab.gz", "cues\toutcomes\tfrequency\na\tx\t-1\n")
    with pytest.raises(ValueError, match=r"line 2.*frequency"):
        ndl.ndl(path, 0.1, BETAS)


def test_weights_that_leave_the_numbers_are_an_error(tmp_path: Path) -> None:
    path = text(tmp_path / "e.tab.gz", "cues\toutcomes\tfrequency\na\tx\t2000\n")
    with pytest.raises(FloatingPointError, match="cue 'a' to outcome 'x'"):
        ndl.ndl(path, 1.0, (5.0, 5.0))
    start = ndl.dict_ndl([(["a"], ["x"])], 0.1, BETAS)
    before = copy.deepcopy(start)
    with pytest.raises(FloatingPointError, match="cue 'a' to outcome 'x'"):
        ndl.dict_ndl(path, 1.0, (5.0, 5.0), weights=start, inplace=True)
    assert start == before


def test_what_is_wrong_leaves_nested_weights_as_they_are() -> None:
    start = ndl.dict_ndl([(["a"], ["x"])], 0.1, BETAS)
    before = copy.deepcopy(start)
    events: Any = [(["a"], ["x"]), (["b", "b"], ["y"])]
    with pytest.raises(ValueError, match=r"event 1.*'b', 'b'"):
        ndl.dict_ndl(events, 0.1, BETAS, weights=start, inplace=True)
    with pytest.raises(KeyError, match="alphas has no entry for the cue 'b'"):
        ndl.dict_ndl([(["a"], ["x"]), (["b"], ["y"])], {"a": 1.0}, BETAS, weights=start, inplace=True)
    assert start == before


def test_a_defaultdict_of_another_type_is_learned_too() -> None:
    start: Any = defaultdict(lambda: defaultdict(float))
    found = ndl.dict_ndl([(["a"], ["x"])], 0.1, BETAS, weights=start, inplace=True)
    assert found is start
    assert round(found["x"]["a"], 4) == 0.01


def test_nested_weights_are_copied_and_pickled_whole() -> None:
    # pyndl's lose their attributes, and by `copy` all weights; they cannot be pickled.
    weights = ndl.dict_ndl([(["a"], ["x"])], 0.1, BETAS)
    for again in (
        copy.copy(weights),
        copy.deepcopy(weights),
        weights.copy(),
        pickle.loads(pickle.dumps(weights)),
    ):
        assert type(again) is ndl.WeightDict
        assert again == weights
        assert again is not weights
        assert again.attrs == weights.attrs
        assert again["new"]["cue"] == 0.0


def test_equal_names_that_show_themselves_differently_are_one() -> None:
    one, other = frozenset([0, 8]), frozenset([8, 0])
    assert repr(one) != repr(other)
    events: Any = [([one], ["x"]), ([other], ["x"])]
    assert len(ndl.dict_ndl(events, 0.1, BETAS)["x"]) == 1


def test_different_names_that_look_alike_are_refused() -> None:
    events: Any = [([1, "1"], ["x"])]
    with pytest.raises(ValueError, match="different cues look alike: '1'"):
        ndl.dict_ndl(events, 0.1, BETAS)


def test_names_in_a_str_are_joined(table: Path) -> None:
    found = ndl.dict_ndl([("a_b", "x"), ("b", "y")], 0.1, BETAS)
    assert found == ndl.dict_ndl(table, 0.1, BETAS)
    weights = ndl.data_array(found)
    by_table = activation.activation(table, weights)
    assert activation.activation([("a_b", "x"), ("b", "y")], weights).equals(by_table)


def test_missing_cues_are_ignored_in_dicts_too() -> None:
    found = activation.activation([(["a", "c"], [])], {"x": {"a": 0.5}}, ignore_missing_cues=True)
    assert found["x"].tolist() == [0.5]


def test_alphas_may_be_whole_numbers_and_are_noted() -> None:
    found = ndl.dict_ndl([(["a"], ["x"])], 1, BETAS)
    assert found["x"]["a"] == 0.1
    assert found.attrs["alpha"].strip() == "1"
    assert ndl.dict_ndl([(["a"], ["x"])], {"a": 1}, BETAS).attrs["alpha"].strip() == "varying"


def test_paths_may_be_path_like_everywhere(table: Path) -> None:
    vectors = xr.DataArray(np.ones((2, 1)), [("cues", ["a", "b"]), ("cue_vector_dimensions", ["p"])])
    assert wh.wh(table, 0.1, cue_vectors=vectors).dims == ("outcomes", "cue_vector_dimensions")
    assert ndl.dict_ndl(table, 0.1, BETAS).attrs["event_path"].strip() == str(table)


def test_names_in_lists_that_would_be_several_warn(tmp_path: Path) -> None:
    with pytest.warns(rw.RescorlaWarning, match=r"event 1.*read as several"):
        io.events_to_file([(["a"], ["x"]), (["a_b"], ["x"])], tmp_path / "e.tab.gz")
    with pytest.raises(ValueError, match="event 0: a name must not contain the delimiter"):
        io.events_to_file([(["a\tb"], ["x"])], tmp_path / "e.tab.gz")


def test_a_failed_write_leaves_the_old_file(table: Path) -> None:
    before = table.read_bytes()

    def rows() -> Any:
        yield ["a"], ["x"]
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        io.events_to_file(rows(), table)
    other = text(table.parent / "bad.tab.gz", "cues\toutcomes\na\tx\nb\n")
    with pytest.raises(ValueError, match=r"bad.tab.gz, line 3"):
        preprocess.filter_event_file(other, table)
    with pytest.raises(ValueError, match="is also read"):
        preprocess.filter_event_file(table, table)
    assert table.read_bytes() == before
    assert sorted(file.name for file in table.parent.iterdir()) == ["bad.tab.gz", "e.tab.gz"]


def test_an_output_that_is_there_stays(table: Path, tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("in the beginning")
    before = table.read_bytes()
    with pytest.raises(FileExistsError, match=re.escape(str(table))):
        preprocess.create_event_file(tmp_path / "t.txt", table)
    with pytest.raises(FileExistsError, match=re.escape(str(table))):
        corpus.create_corpus_from_gz(tmp_path, table)
    assert table.read_bytes() == before


def test_many_events_are_written_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "t.txt").write_text(" ".join(f"word{i}" for i in range(50)))
    for n, path in ((1 << 16, tmp_path / "at-once.gz"), (7, tmp_path / "in-parts.gz")):
        monkeypatch.setattr(preprocess, "_ROWS", n)
        preprocess.create_event_file(tmp_path / "t.txt", path)
    assert len(list(io.events_from_file(tmp_path / "in-parts.gz"))) == 52
    assert (tmp_path / "in-parts.gz").read_bytes() == (tmp_path / "at-once.gz").read_bytes()


def test_a_damaged_table_is_named(table: Path) -> None:
    table.write_bytes(table.read_bytes()[:-12])
    with pytest.raises(
        rw.FormatError, match=r"e.tab.gz: expected a table compressed by gzip, found a damaged"
    ):
        ndl.ndl(table, 0.1, BETAS)
    table.write_text("cues\toutcomes\na\tx\n")
    with pytest.raises(OSError, match=r"e.tab.gz: Not a gzipped file"):
        ndl.ndl(table, 0.1, BETAS)


@pytest.mark.parametrize("character", ["\ufdd0", "_\ufdd0"])
def test_what_stands_for_nobody_is_no_name(character: str, tmp_path: Path) -> None:
    path = text(tmp_path / "e.tab.gz", f"cues\toutcomes\na{character}\tx\n")
    with pytest.raises(rw.FormatError, match=r"U\+FDD0"):
        ndl.ndl(path, 0.1, BETAS)


FILM = (
    '<document><s><time id="T1S" value="00:00:01,000"/><w>Oh</w><time id="T1E" value="00:00:02,900"/></s>'
    '<s><time id="T2S" value="00:00:04,000"/><w>no</w><time id="T2E" value="00:00:05,900"/></s>'
    '<s><time id="T3S" value="00:00:30,000"/><w>Late</w></s></document>'
)


def packed(path: Path, content: str) -> Path:
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write(content)
    return path


def test_behind_a_comma_are_milliseconds(tmp_path: Path) -> None:
    # pyndl takes 900 for frames, 30 seconds of them.
    packed(tmp_path / "film.xml.gz", FILM)
    corpus.create_corpus_from_gz(tmp_path, tmp_path / "corpus.txt")
    assert (tmp_path / "corpus.txt").read_text() == "Oh\nno\n\nLate\n\n---END.OF.DOCUMENT---\n\n"
    events = rw.corpus_events(
        tmp_path / "film.xml.gz", format="subtitles", context="paragraph", window="context"
    )
    assert [event.outcomes for event in events] == [("oh", "no"), ("late",)]


@pytest.mark.skipif(os.name != "posix", reason="links of Unix")
def test_files_that_are_not_found_are_listed(tmp_path: Path) -> None:
    packed(tmp_path / "film.xml.gz", FILM)
    (tmp_path / "gone.xml.gz").symlink_to("nowhere")
    out = tmp_path / "corpus.txt"
    for n, name in enumerate((".not_found", ".not_found-1", ".not_found-2")):
        corpus.create_corpus_from_gz(tmp_path, out, verbose=True)
        assert out.read_text().endswith("\nLate\n\n---END.OF.DOCUMENT---\n\n")
        assert Path(f"{out}{name}").read_text() == f"{tmp_path / 'gone.xml.gz'}\n"
        # As in pyndl, no older list is replaced.
        assert len(list(tmp_path.glob("*.not_found*"))) == n + 1
        out.unlink()


def test_a_damaged_film_is_named_and_nothing_is_written(tmp_path: Path) -> None:
    packed(tmp_path / "bad.xml.gz", "<document><s>")
    with pytest.raises(rw.FormatError, match=r"bad\.xml\.gz: expected subtitles"):
        corpus.create_corpus_from_gz(tmp_path, tmp_path / "corpus.txt")
    assert [file.name for file in tmp_path.iterdir()] == ["bad.xml.gz"]


def test_what_has_no_correlation_is_nan() -> None:
    found = correlation.correlation([[1.0, 1.0], [1.0, 2.0]], [[0.1], [0.3]], allow_nan=True)
    assert np.isnan(found[0, 0])
    assert found[1, 0] == pytest.approx(1.0)


def test_names_of_nothing_are_counted(tmp_path: Path) -> None:
    count.save_counter({"": 3, " a ": 2}, tmp_path / "counts")
    assert count.load_counter(tmp_path / "counts") == {"": 3, " a ": 2}
    with pytest.raises(ValueError, match="tab or line break"):
        count.save_counter({"a\tb": 3}, tmp_path / "counts")


def test_a_str_is_no_list_of_names(table: Path) -> None:
    for argument in ("keep_cues", "keep_outcomes", "remove_cues", "remove_outcomes"):
        options: Any = {argument: "abc"}
        with pytest.raises(ValueError, match=f"{argument} must be several names"):
            preprocess.filter_event_file(table, table.parent / "new.tab.gz", **options)


def test_vectors_do_without_duplicates(table: Path) -> None:
    forms = xr.DataArray(np.eye(2), [("cues", ["a", "b"]), ("cue_vector_dimensions", ["p", "q"])])
    senses = xr.DataArray([[1.0]], [("outcomes", ["x"]), ("outcome_vector_dimensions", ["s"])])
    found = wh.dict_wh([(["a", "a"], ["x"])], 0.1, forms, senses, remove_duplicates=True)
    assert found["s"]["p"] == 0.1
    numbers = forms.assign_coords(cue_vector_dimensions=[0, 1])
    assert wh.dict_wh([(["a"], ["x"])], 0.1, numbers, senses)["s"]["0"] == 0.1
