"""What is public."""

import pickle
import pkgutil

import rescorla as rw
from rescorla import perceptrons

PUBLIC = {
    "classify",
    "cli",
    "compat",
    "datasets",
    "distributed",
    "estimators",
    "ldl",
    "measures",
    "perceptrons",
    "plot",
    "schedules",
    "tiles",
}


def test_dir_shows_what_is_public() -> None:
    assert dir(rw) == sorted(rw.__all__)
    assert all(hasattr(rw, name) for name in rw.__all__)


def test_all_other_modules_lie_in_private_rooms() -> None:
    names = {module.name for module in pkgutil.iter_modules(rw.__path__)}
    assert {name for name in names if not name.startswith("_")} == PUBLIC


def test_what_is_public_is_pickled_by_its_public_name() -> None:
    for room, names in ((rw, rw.__all__), (perceptrons, perceptrons.__all__)):
        for name in names:
            if callable(getattr(room, name)):
                assert getattr(room, name).__module__ == room.__name__
                assert pickle.loads(pickle.dumps(getattr(room, name))) is getattr(room, name)
