"""What tests of `rescorla.compat` share."""

from collections.abc import Iterator

import pytest
from beside_pyndl import seeds

__all__ = ["seeds"]


@pytest.fixture(autouse=True)
def _pyndl_does_not_sleep(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """While it waits for its processes pyndl sleeps for a second at a time."""
    try:
        from pyndl import preprocess
    except ImportError:
        yield
        return
    real = preprocess.time.sleep

    class Time:
        """The module `time`, where a second is short."""

        @staticmethod
        def sleep(seconds: float) -> None:
            real(min(seconds, 0.002))

    monkeypatch.setattr(preprocess, "time", Time)
    yield
