"""Trials of persons: columns that were given, and what was recorded of each trial."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from rescorla._shared.checks import PathName, near, path_name, shown
from rescorla._shared.optional import need
from rescorla._weights.disk import naming, replacing
from rescorla._weights.weights import Weights

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow
    from numpy.typing import NDArray


class Trials:
    """Trials with what was predicted before each was learned; `learn_each` makes them.

    ``trials["activation"]`` is a column, ``len(trials)`` the number of trials.

    Attributes
    ----------
    columns : dict of str and ndarray
        In the order of the trials that were given: ``person``, ``trial`` (from 1 on, for each person, unless
        a column of this name was given), the columns that were given, and those that were recorded.
    persons : tuple
        In the order in which they come first.
    parameters : dict
        What was learned, and how.

    Examples
    --------
    >>> import rescorla as rw
    >>> table = {
    ...     "participant": ["ann", "ann", "bob"],
    ...     "cues": ["light", "light_tone", "tone"],
    ...     "outcomes": ["shock", "shock", "shock"],
    ... }
    >>> trials = rw.learn_each(table, by="participant", alpha=0.5, beta=0.5)
    >>> trials
    <Trials: 3 trials of 2 persons; person, trial, cues, outcomes, activation>
    >>> trials["activation"]
    array([0.  , 0.25, 0.  ])
    >>> trials.weights("ann")["light", "shock"]
    0.4375
    """

    def __init__(
        self,
        columns: dict[str, NDArray[Any]],
        persons: tuple[Any, ...],
        parameters: dict[str, Any],
        weights_of: Callable[[int], Weights],
    ) -> None:
        self.columns, self.persons, self.parameters = columns, persons, parameters
        self._weights_of, self._numbers = weights_of, {person: at for at, person in enumerate(persons)}

    def __getitem__(self, name: str) -> NDArray[Any]:
        try:
            return self.columns[name]
        except (KeyError, TypeError):
            raise KeyError(
                f"trials have no column {shown(name)}, but {', '.join(self.columns)}"
                f"{near(name, self.columns)}"
            ) from None

    def __len__(self) -> int:
        return len(self.columns["person"])

    def weights(self, person: Any) -> Weights:
        """What a person has learned at the end, of the cues in his trials.

        Examples
        --------
        >>> import rescorla as rw
        >>> table = {"who": ["ann", "bob"], "cues": ["a", "b"], "outcomes": ["x", "x"]}
        >>> rw.learn_each(table, by="who").weights("bob").cues
        ('b',)
        """
        try:
            number = self._numbers[person]
        except (KeyError, TypeError):
            raise KeyError(
                f"person {shown(person)} is none of the {len(self.persons):,} in the trials"
                f"{near(person, map(str, self.persons))}"
            ) from None
        return self._weights_of(number)

    def to_pandas(self) -> pandas.DataFrame:
        """The columns as a data frame."""
        frame: pandas.DataFrame = need("pandas").DataFrame(
            {
                name: list(column) if column.dtype == object else column
                for name, column in self.columns.items()
            }
        )
        return frame

    def to_polars(self) -> polars.DataFrame:
        """The columns as a data frame of polars."""
        frame: polars.DataFrame = need("polars").from_arrow(self.to_arrow())
        return frame

    def to_arrow(self) -> pyarrow.Table:
        """The columns as an Arrow table."""
        pa = need("pyarrow")
        table: pyarrow.Table = pa.table(
            {
                name: pa.array(column.tolist() if column.dtype == object else column)
                for name, column in self.columns.items()
            }
        )
        return table

    def save(self, path: PathName) -> None:
        """Write the columns: ``.csv``, ``.parquet`` (pyarrow), or ``.npz`` (numpy; numbers and str alone).

        Raises
        ------
        ValueError
            When the name ends in something else, or a column does not go into the format.
        OSError
            When the file cannot be written. An older one is replaced whole or not at all.

        Examples
        --------
        >>> import rescorla as rw
        >>> table = {"who": ["ann"], "cues": ["a"], "outcomes": ["x"]}
        >>> rw.learn_each(table, by="who").save("trials.csv")
        >>> with open("trials.csv") as file:
        ...     print(file.read().rstrip())
        person,trial,cues,outcomes,activation
        ann,1,a,x,0.0
        """
        name = path_name(path)
        ending = os.path.splitext(name)[1]
        writers = {".csv": self._csv, ".parquet": self._parquet, ".npz": self._npz}
        if ending not in writers:
            raise ValueError(f"path must end in .csv, .parquet or .npz, not {ending or 'nothing'!r}")
        writers[ending](name)

    def __repr__(self) -> str:
        return f"<Trials: {len(self):,} trials of {len(self.persons):,} persons; {', '.join(self.columns)}>"

    def _csv(self, path: str) -> None:
        columns = [_as_text(column) for column in self.columns.values()]
        with naming(path), replacing(path) as new, open(new, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(self.columns)
            writer.writerows(zip(*columns, strict=True))

    def _parquet(self, path: str) -> None:
        table = self.to_arrow()
        with naming(path), replacing(path) as new:
            need("pyarrow.parquet").write_table(table, new)

    def _npz(self, path: str) -> None:
        import zipfile  # It brings pathlib, which takes longer than the rest of this room.

        arrays = {}
        for name, column in self.columns.items():
            if column.dtype == object and not all(isinstance(each, str) for each in column):
                raise ValueError(
                    f"path in .npz takes numbers and str, and the column {name!r} has others; save as "
                    ".parquet"
                )
            arrays[name] = column.astype(str) if column.dtype == object else column
        # `numpy.savez` takes no column called file.
        with naming(path), replacing(path) as new, zipfile.ZipFile(new, "w") as archive:
            for name, array in arrays.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                    np.lib.format.write_array(file, array, allow_pickle=False)


def _as_text(column: NDArray[Any]) -> list[Any]:
    """Cells; several names are joined by ``_``, several numbers by blanks."""
    if column.dtype != object:
        return column.tolist()  # type: ignore[no-any-return]
    return [_cell(each) for each in column]


def _cell(entry: Any) -> Any:
    if isinstance(entry, str) or not hasattr(entry, "__iter__"):
        return entry
    parts = list(entry)
    return ("_" if parts and isinstance(parts[0], str) else " ").join(map(str, parts))
