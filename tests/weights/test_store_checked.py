"""Nothing wrong is read of a store in silence: bits that flipped, files that are lost or of another store."""

import copy
import os
import pickle
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rescorla as rw
from rescorla._shared.testing import asking
from rescorla._weights.zarr.store import Store
from stores import bits

pytest.importorskip("zarr")
pytestmark = pytest.mark.usefixtures("small_chunks")


def saved(path: Path, value: float = 1.0) -> rw.Weights:
    """A store that was saved, with a number for each cue."""
    names = [f"{value:g} {n}" for n in range(9)]
    weights = rw.Weights(
        np.full((9, 9), value), names, names, {"alpha": [value] * 9, "rule": "none", "beta1": value}
    )
    weights.save(path)
    return weights


def learned(path: Path, events: rw.Events) -> rw.Weights:
    """A store that was learned, and keeps initial weights and the factors of a schedule."""
    weights = rw.learn(
        events,
        out=path,
        method="forward",
        initial=rw.learn(events.head(20)),
        schedule=rw.schedules.inverse_time(100),
        alpha={cue: 0.1 + 0.01 * n for n, cue in enumerate(events.cues)},
        resume=True,
    )
    return rw.Weights(weights.values, weights.cues, weights.outcomes, weights.parameters)


MADE: dict[str, Callable[[Path, rw.Events], rw.Weights]] = {
    "saved": lambda path, events: saved(path),
    "learned": learned,
}


def flip(file: Path, bit: int) -> None:
    content = bytearray(file.read_bytes())
    content[bit // 8] ^= 1 << bit % 8
    file.write_bytes(content)


def files_of(path: Path) -> list[Path]:
    return sorted(each for each in path.rglob("*") if each.is_file())


def test_a_flipped_bit_of_a_tile_raises_wherever_it_is_read(events: rw.Events, tmp_path: Path) -> None:
    path = tmp_path / "w.zarr"
    rw.learn(events, out=path, method="forward")
    uses: dict[str, Callable[[rw.Weights], object]] = {
        "np.asarray": np.asarray,
        "values": lambda w: w.values,
        "one weight": lambda w: w[w.cues[0], w.outcomes[0]],
        "row": lambda w: w.row(w.cues[0]),
        "column": lambda w: w.column(w.outcomes[0]),
        "data": lambda w: w.data[0, 0],
        "top": lambda w: w.top(outcome=w.outcomes[0]),
        "strongest": lambda w: w.strongest(1),
        "predict": lambda w: w.predict(events),
        "activations": lambda w: rw.activations(events, w),
        "initial": lambda w: rw.learn(events, initial=w),
        "equilibrium": lambda w: rw.equilibrium(events, initial=w),
        "resume": lambda w: rw.learn(events, out=path, method="forward", resume=True),
        "part": lambda w: rw.learn(events, out=path, method="forward", part=(0, 2)),
        "save": lambda w: w.save(tmp_path / "copy.npz"),
        "pandas": lambda w: w.to_pandas(),
        "xarray": lambda w: w.to_xarray(chunks={}).compute(),
    }
    tile = Path(Store.open(path).file(0))
    whole = tile.read_bytes()
    for bit in (0, 63, 8 * len(whole) // 2, 8 * len(whole) - 1):
        flip(tile, bit)
        for name, use in uses.items():
            with pytest.raises(rw.FormatError, match=r"w\.zarr.*repair"):
                pytest.fail(f"{name}: {use(rw.load_weights(path))!r}")
        assert not (tmp_path / "copy.npz").exists()
        tile.write_bytes(whole)
    assert bits(rw.load_weights(path)) == bits(rw.learn(events, method="forward"))
    # Also by a handle that read it before.
    weights = rw.load_weights(path)
    assert np.isfinite(weights.values).all()
    flip(tile, 70)
    with pytest.raises(rw.FormatError, match="repair"):
        weights[weights.cues[0], weights.outcomes[0]]


@pytest.mark.parametrize("made", MADE)
def test_no_flipped_bit_and_no_lost_file_gives_other_weights(
    made: str, events: rw.Events, tmp_path: Path
) -> None:
    path = tmp_path / "w.zarr"
    right = MADE[made](path, events)
    shutil.copytree(path, tmp_path / "kept")
    random = np.random.default_rng(1)
    found = {"refused": 0, "told": 0, "harmless": 0}
    files = files_of(path)
    for file in files:
        for damage in (*random.integers(0, 8 * file.stat().st_size, 6).tolist(), None):
            if damage is None:
                file.unlink()
            else:
                flip(file, damage)
            found[_judged(path, right)] += 1
            kept = tmp_path / "kept" / file.relative_to(path)
            shutil.copy(kept, file)
    assert found["refused"] > len(files)
    assert rw.verify(path)


def _judged(path: Path, right: rw.Weights) -> str:
    """Whether damage was refused or told of; an error where weights are others in silence."""
    try:
        weights = rw.load_weights(path)
        values = weights.values
    except (rw.FormatError, FileNotFoundError, rw.tiles.MissingTilesError):
        values = None
    sound = bool(rw.verify(path)) if os.path.exists(path / "zarr.json") else False
    if values is None:
        assert not sound
        return "refused"
    if not sound:
        return "told"
    assert bits(values) == bits(right.values)
    assert (weights.cues, weights.outcomes) == (right.cues, right.outcomes)
    assert weights.parameters.get("alpha") == right.parameters.get("alpha")
    return "harmless"


def test_tiles_are_bound_to_their_place_and_their_store(events: rw.Events, tmp_path: Path) -> None:
    for name, alpha in (("w", 0.1), ("other", 0.2)):
        rw.learn(events, out=tmp_path / f"{name}.zarr", method="forward", alpha=alpha)
    path = tmp_path / "w.zarr"
    store, other = Store.open(path), Store.open(tmp_path / "other.zarr")
    first, second = Path(store.file(0)), Path(store.file(1))
    contents = first.read_bytes(), second.read_bytes()
    first.write_bytes(contents[1])
    second.write_bytes(contents[0])
    assert rw.verify(path).bad == [0, 1]
    second.write_bytes(contents[1])
    for of in (store.file, store.sum_file):
        shutil.copy({store.file: other.file, store.sum_file: other.sum_file}[of](0), of(0))
    assert rw.verify(path).bad == [0]
    with pytest.raises(rw.FormatError):
        rw.load_weights(path).column(store.outcomes[0])


def test_what_a_store_keeps_is_verified(events: rw.Events, tmp_path: Path) -> None:
    path = tmp_path / "w.zarr"
    learned(path, events)
    for part in ("initial/weights/c/0/0", "initial/cues/c/0", "schedule/present/c/0"):
        whole = (path / part).read_bytes()
        flip(path / part, 80)
        found = rw.verify(path, events)
        assert not found
        assert any(part.partition("/")[0] in reason for reason in found.wrong)
        (path / part).write_bytes(whole)
    assert rw.verify(path, events, sample=2, seed=1)


# Stores that others take the place of.


def exchanged(path: Path, other: Path) -> None:
    aside = path.with_name("aside")
    path.rename(aside)
    other.rename(path)
    aside.rename(other)


def test_a_handle_is_of_one_store_for_ever(tmp_path: Path) -> None:
    """Also where size and time of the metadata are the same, as with `cp -p` and archives."""
    path, other = tmp_path / "a.zarr", tmp_path / "b.zarr"
    saved(path, 1.0)
    saved(other, 2.0)
    for store in (path, other):
        for file in files_of(store):
            os.utime(file, (0, 0))
    weights = rw.load_weights(path)
    assert weights["1 0", "1 0"] == 1.0
    pickled, lazy = pickle.dumps(weights), weights.to_xarray(chunks={})
    exchanged(path, other)
    uses: list[Callable[[], object]] = [
        lambda: weights.values,
        lambda: weights["1 0", "1 0"],
        lambda: copy.deepcopy(weights).values,
        lambda: pickle.dumps(weights),
        lambda: pickle.loads(pickled),
        lambda: lazy.compute(),
        lambda: weights.missing(),
    ]
    for use in uses:
        with pytest.raises(RuntimeError, match="took the place of th"):
            use()
    exchanged(path, other)
    assert weights.values.max() == pickle.loads(pickled).values.max() == lazy.values.max() == 1.0
    # A copy of the same store in its place is the same store.
    shutil.copytree(path, tmp_path / "copy")
    shutil.rmtree(path)
    (tmp_path / "copy").rename(path)
    assert weights["1 1", "1 1"] == 1.0


@pytest.mark.parametrize("exchange", [True, False])
def test_readers_beside_savers_have_one_store_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exchange: bool
) -> None:
    """Where folders can be exchanged in one step, and where they cannot."""
    from rescorla._weights.zarr import folder

    if not exchange:
        monkeypatch.setattr(folder, "exchange", lambda *_: False)
    path = tmp_path / "w.zarr"
    saved(path, 1.0)
    over, errors = threading.Event(), []

    def save(value: float) -> None:
        try:
            while not over.is_set():
                saved(path, value)
        except BaseException as error:
            errors.append(error)

    savers = [threading.Thread(target=save, args=(value,)) for value in (1.0, 2.0)]
    for saver in savers:
        saver.start()
    end, seen = time.monotonic() + 3, set()
    try:
        while time.monotonic() < end:
            weights = rw.load_weights(path)
            try:
                values = weights.values
            except (RuntimeError, FileNotFoundError):
                continue
            assert values.min() == values.max()
            assert {*weights.cues, *weights.outcomes} == {f"{values.max():g} {n}" for n in range(9)}
            assert weights.parameters["alpha"] == [values.max()] * 9
            seen.add(float(values.max()))
    finally:
        over.set()
        for saver in savers:
            saver.join()
    assert errors == []
    assert seen == {1.0, 2.0}
    assert os.listdir(tmp_path) == ["w.zarr"]


def test_a_store_that_is_set_aside_for_a_moment_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rescorla._weights.zarr import folder

    path, aside = tmp_path / "w.zarr", tmp_path / ".w.zarr.000000000000.old"
    saved(path, 1.0)
    is_there = folder.is_there

    def then_aside(name: str) -> bool:
        """There, but not when it is read next."""
        monkeypatch.setattr(folder, "is_there", is_there)
        path.rename(aside)
        return True

    monkeypatch.setattr(folder, "is_there", then_aside)
    assert rw.load_weights(path)["1 1", "1 1"] == 1.0
    assert os.listdir(tmp_path) == ["w.zarr"]


# What is deleted, and what is left.


def test_repair_checks_all_before_it_deletes_anything(events: rw.Events, tmp_path: Path) -> None:
    path = tmp_path / "w.zarr"
    rw.learn(events, out=path, method="forward")
    wrong: list[Any] = [[0, 99], [5], [0, -1], [0, 0.5], [0, "1"], "01", b"01", 5, [True, None]]
    for tiles in wrong:
        with pytest.raises((TypeError, ValueError), match=r"^tiles"):
            rw.tiles.repair(path, tiles=tiles)
    with pytest.raises(ValueError, match=r"^tiles must be numbers from 0 to 4, not 99$"):
        rw.tiles.repair(path, tiles=[99])
    assert rw.load_weights(path).missing() == []
    assert rw.tiles.repair(path, tiles=[2, 0]) == [0, 2]
    assert rw.tiles.repair(path, tiles=[2, 0, 1]) == [1]
    assert rw.load_weights(path).missing() == [0, 1, 2]


def test_what_lies_in_the_place_of_a_tile_is_bad_and_repaired(events: rw.Events, tmp_path: Path) -> None:
    path = tmp_path / "w.zarr"
    whole = bits(rw.learn(events, out=path, method="forward"))
    store = Store.open(path)
    for tile in (0, 1, 2):
        os.unlink(store.file(tile))
    os.mkdir(store.file(0))
    os.symlink(tmp_path / "nowhere", store.file(1))
    Path(store.file(2)).touch()
    assert rw.verify(path).bad == [0, 1, 2]
    assert rw.tiles.repair(path) == [0, 1, 2]
    assert bits(rw.learn(events, out=path, method="forward", resume=True)) == whole


def test_forged_shapes_are_refused_before_names_are_read(tmp_path: Path) -> None:
    import json

    from rescorla._weights.zarr import describe

    path = tmp_path / "w.zarr"
    for name, old, new in (
        ("cues", '"shape": [\n    9', '"shape": [\n    900000000000'),
        ("weights", '"chunk_shape": [\n        9', '"chunk_shape": [\n        0'),
        ("weights", '"shape": [\n    9', '"shape": [\n    8'),
    ):
        saved(path)
        metadata = path / name / "zarr.json"
        text = metadata.read_text()
        assert old in text, text
        metadata.write_text(text.replace(old, new, 1))
        root = json.loads((path / "zarr.json").read_text())
        attributes = root["attributes"]
        attributes["files"][f"{name}/zarr.json"] = describe.digest_of(metadata.read_bytes())
        attributes["sha256"] = describe.digest_of_attributes(attributes)
        (path / "zarr.json").write_text(json.dumps(root))
        with pytest.raises(rw.FormatError, match=r"w\.zarr"):
            rw.load_weights(path)
        assert not rw.verify(path)
        shutil.rmtree(path)


@pytest.fixture
def hurried() -> Iterator[Callable[[float], None]]:
    """Interrupts this process after so many seconds."""
    if sys.platform == "win32":
        pytest.skip("Windows has no timers that interrupt")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    old = signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
    yield lambda seconds: signal.setitimer(signal.ITIMER_REAL, seconds) and None
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, old)
    signal.signal(signal.SIGINT, before)


# Coroutines of zarr's that the interrupt ended; a file that it came upon before it was in hand.
@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("made", MADE)
def test_an_interrupt_while_a_store_is_made_leaves_nothing(
    made: str, events: rw.Events, tmp_path: Path, hurried: Callable[[float], None]
) -> None:
    path = tmp_path / "w.zarr"
    seconds = 0.0
    with asking(chunk=4):
        # The first time libraries are loaded, too.
        for _ in range(3):
            shutil.rmtree(path, ignore_errors=True)
            begun = time.perf_counter()
            MADE[made](path, events)
            seconds = time.perf_counter() - begun
    interrupted = 0
    for turn in range(24):
        shutil.rmtree(path, ignore_errors=True)
        try:
            hurried(seconds * (turn + 0.5) / 24)
            MADE[made](path, events)
            hurried(0)
        except KeyboardInterrupt:
            interrupted += 1
        assert [each for each in os.listdir(tmp_path) if each != "w.zarr"] == []
    assert interrupted > 1
