"""Weights as tables for other programs: Arrow, Parquet, CSV; wide, a column for each outcome, or long."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from rescorla._shared.optional import need
from rescorla._weights.directions import blocks
from rescorla._weights.disk import Content, as_json, writing

if TYPE_CHECKING:
    pass

_CUE, _OUTCOME, _WEIGHT = "cue", "outcome", "weight"


def to_arrow(content: Content, long: bool) -> Any:
    """Weights as a pyarrow.Table."""
    pa = need("pyarrow")
    schema = _schema(pa, content, long)
    return pa.Table.from_batches(_batches(pa, schema, content, long), schema)


def _save_parquet(path: str, content: Content, long: bool) -> None:
    """Write weights to a Parquet file, some rows at a time."""
    pa, parquet = need("pyarrow"), need("pyarrow.parquet")
    _check_text(path, content)
    schema = _schema(pa, content, long)
    with writing(path) as stream, parquet.ParquetWriter(stream, schema) as writer:
        for batch in _batches(pa, schema, content, long):
            writer.write_batch(batch)


def _save_text(separator: str, path: str, content: Content, long: bool) -> None:
    """Write weights to a table of text, which has no room for parameters."""
    values, cues, outcomes = content[:3]
    _check_text(path, content)
    columns = [quoted(name, separator) for name in outcomes]
    head = [_CUE, _OUTCOME, _WEIGHT] if long else [first_header(_CUE, outcomes), *columns]
    with writing(path, "w", encoding="utf-8", newline="") as stream:
        stream.write(separator.join(head) + "\n")
        for some in blocks(*values.shape):
            names = [quoted(name, separator) for name in cues[some]]
            for name, row in zip(names, values[some], strict=True):
                # As numpy writes them: as few digits as tell the number from all others of its type.
                numbers = map(str, row)
                if long:
                    lines = zip(columns, numbers, strict=True)
                    stream.writelines(f"{name}{separator}{c}{separator}{w}\n" for c, w in lines)
                else:
                    stream.write(separator.join([name, *numbers]) + "\n")


WRITERS: dict[str, Callable[..., None]] = {
    ".csv": partial(_save_text, ","),
    ".tsv": partial(_save_text, "\t"),
    ".parquet": _save_parquet,
}
"""What writes tables, by the suffix of the file: of a path, a content, and whether the table is long."""


def first_header(header: str, outcomes: Sequence[str]) -> str:
    """What stands above the first column of a wide table: this, or it with as many _ as no outcome has."""
    while header in outcomes:
        header += "_"
    return header


def quoted(name: str, separator: str) -> str:
    """A cell, in quotes where the csv module would not read it without."""
    if name and not any(mark in name for mark in (separator, '"', "\n", "\r")):
        return name
    return '"' + name.replace('"', '""') + '"'


def _check_text(path: str, content: Content) -> None:
    """ValueError where a name is no text: half of a pair of UTF-16."""
    for kind, names in ((_CUE, content.cues), (_OUTCOME, content.outcomes)):
        for name in names:
            try:
                name.encode()
            except UnicodeEncodeError:
                raise ValueError(
                    f"{path}: the {kind} {name!r} is no text that UTF-8 has; save to a .npy file"
                ) from None


def _schema(pa: Any, content: Content, long: bool) -> Any:
    number = pa.from_numpy_dtype(content.values.dtype.newbyteorder("="))
    outcomes = content.outcomes
    name = pa.dictionary(pa.int32(), pa.string())
    fields = [(_CUE, name), (_OUTCOME, name), (_WEIGHT, number)]
    if not long:
        fields = [(first_header(_CUE, outcomes), pa.string()), *((outcome, number) for outcome in outcomes)]
    return pa.schema(fields, metadata={"parameters": as_json(content.parameters)})


def _batches(pa: Any, schema: Any, content: Content, long: bool) -> Iterator[Any]:
    """The rows of a table, some at a time. The names of a long one are numbers into lists that all share."""
    values, cues, outcomes = content[:3]
    all_cues, all_outcomes = pa.array(cues, pa.string()), pa.array(outcomes, pa.string())
    for some in blocks(*values.shape):
        block = values[some]
        if long:
            rows = np.repeat(np.arange(some.start, some.stop, dtype=np.int32), len(outcomes))
            columns = np.tile(np.arange(len(outcomes), dtype=np.int32), len(block))
            arrays = [
                pa.DictionaryArray.from_arrays(pa.array(rows), all_cues),
                pa.DictionaryArray.from_arrays(pa.array(columns), all_outcomes),
                pa.array(block.ravel(), schema.field(_WEIGHT).type),
            ]
        else:
            columns_first = np.asfortranarray(block)
            numbers = [pa.array(column) for column in columns_first.T]
            arrays = [all_cues[some.start : some.stop], *numbers]
        yield pa.record_batch(arrays, schema=schema)
