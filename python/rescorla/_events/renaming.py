"""Which names of cues or outcomes stay, and what the others become."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import chain, compress
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

import rescorla._core as _core
from rescorla._events.names import Map, Names, listed, mapping_of
from rescorla._shared.checks import Duplicates, Side, near, whole
from rescorla._shared.warn import some, warn

if TYPE_CHECKING:
    from numpy.typing import NDArray


New: TypeAlias = "tuple[list[str], NDArray[np.int64], NDArray[np.int64], Duplicates]"
"""The new names; where the ids of each old name begin, and the last end; the ids; duplicates."""


class Renaming(NamedTuple):
    """The rule for one side of events.

    At most one of `keep`, `remove` and `becomes` is given. Of the names that these leave, those of `least`
    tokens or more stay, and of these the `most` frequent.
    """

    side: Side
    keep: set[str] | None
    remove: set[str] | None
    becomes: dict[str, list[str]] | None
    least: int
    most: int | None

    @classmethod
    def of(
        cls,
        side: Side,
        keep: Names | None,
        remove: Names | None,
        becomes: Map | None,
        least: int | None,
        most: int | None,
    ) -> Renaming:
        """The rule that the arguments of `Events.filter` say."""
        one = side[:-1]
        names = {f"keep_{side}": keep, f"remove_{side}": remove, f"{one}_map": becomes}
        given = [name for name, value in names.items() if value is not None]
        if len(given) > 1:
            raise ValueError(
                f"{given[0]} and {' and '.join(given[1:])} ask for different things; give one of them"
            )
        return cls(
            side,
            None if keep is None else set(listed(f"keep_{side}", keep)),
            None if remove is None else set(listed(f"remove_{side}", remove)),
            None if becomes is None else mapping_of(f"{one}_map", becomes),
            0 if least is None else whole(f"min_{one}_count", least),
            None if most is None else whole(f"max_{side}", most),
        )

    @property
    def counts_new_names(self) -> bool:
        """Whether the events must be gone through to count names that they do not have yet."""
        return self.becomes is not None and (self.least > 0 or self.most is not None)

    def names(
        self, file: _core.EventFile, duplicates: Duplicates, watch: Callable[[int, int], object] | None
    ) -> New | None:
        """The new names, and which of them each old one becomes; None: all stay."""
        cues = self.side == "cues"
        if self.becomes is not None:
            old = file.cue_names() if cues else file.outcome_names()
            self._warn_unless_known(f"{self.side[:-1]}_map", self.becomes, old)
            new = _mapped(old, self.becomes, duplicates)
            return (
                self._thinned(new, file.renamed_counts(self.side, new, watch))
                if self.counts_new_names
                else new
            )
        if self.keep is None and self.remove is None and self.least == 0 and self.most is None:
            return None
        old, counts = (
            (file.cue_names(), file.cue_counts()) if cues else (file.outcome_names(), file.outcome_counts())
        )
        stays = np.ones(len(old), dtype=bool)
        if self.keep is not None:
            self._warn_unless_known(f"keep_{self.side}", self.keep, old)
            stays[:] = [name in self.keep for name in old]
        if self.remove is not None:
            self._warn_unless_known(f"remove_{self.side}", self.remove, old)
            stays[:] = [name not in self.remove for name in old]
        self._frequent(stays, counts)
        return _chosen(old, stays), _pointers(stays), np.arange(np.count_nonzero(stays)), "keep"

    def _warn_unless_known(self, argument: str, names: Collection[str], old: Sequence[str]) -> None:
        """Warn where none of some names is one of the events'. That some are not is usual in a list."""
        if names and old and not any(name in names for name in old):
            # Of names in a set the first are by chance: those that are named shall be the same each time.
            listed = sorted(names) if isinstance(names, set) else names
            one = self.side[:-1]
            are = "is" if len(names) == 1 else "are"
            warn(
                f"{argument} names no {one} of the events: {some(listed)} {are} none of the {len(old):,} "
                f"{self.side}, such as {some(old, 3)}; compare the spelling of both"
                f"{near(next(iter(listed)), old)}"
            )

    def _thinned(self, new: New, counts: NDArray[np.int64]) -> New:
        """New names without those that are not frequent enough."""
        names, pointers, ids, duplicates = new
        stays = np.ones(len(names), dtype=bool)
        self._frequent(stays, counts)
        left = stays[ids]
        new_id = np.cumsum(stays) - 1
        return _chosen(names, stays), _pointers(left)[pointers], new_id[ids[left]], duplicates

    def _frequent(self, stays: NDArray[np.bool_], counts: NDArray[np.int64]) -> None:
        """Leaves those that are frequent enough."""
        stays &= counts >= self.least
        if self.most is not None:
            staying = np.flatnonzero(stays)
            # Stable: of equally frequent ones the first stay.
            rare = staying[np.argsort(-counts[staying], kind="stable")][self.most :]
            stays[rare] = False


def relabelled(file: _core.EventFile, cues: list[str] | None, outcomes: list[str] | None) -> _core.EventFile:
    """The events under other names, one for each; None: all stay."""

    def new(labels: list[str] | None) -> New | None:
        if labels is None:
            return None
        ids = np.arange(len(labels) + 1, dtype=np.int64)
        return labels, ids, ids[:-1], "keep"

    return file.filter(new(cues), new(outcomes), parameters=file.parameters())


def _mapped(old: Sequence[str], becomes: Mapping[str, Sequence[str]], duplicates: Duplicates) -> New:
    """What a map makes of names; the new ones come in the order in which the old ones bring them up."""
    number: dict[str, int] = {}
    lists = [[number.setdefault(new, len(number)) for new in becomes.get(name, ())] for name in old]
    ids = np.fromiter(chain.from_iterable(lists), dtype=np.int64)
    return list(number), _pointers(np.fromiter(map(len, lists), dtype=np.int64)), ids, duplicates


def _chosen(names: Sequence[str], stays: NDArray[np.bool_]) -> list[str]:
    return list(compress(names, stays))


def _pointers(lengths: NDArray[np.bool_ | np.int64]) -> NDArray[np.int64]:
    """Where runs of these lengths begin, and where the last ends."""
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
