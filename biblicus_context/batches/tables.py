"""Files of rows and of results: JSON Lines, and Parquet."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final

from biblicus_context.batches.assembling import AssembledRow
from biblicus_context.errors import InputError, LoadError, MissingExtraError

LINES: Final = "jsonl"
PARQUET: Final = "parquet"
_KINDS: Final = {".jsonl": LINES, ".ndjson": LINES, ".parquet": PARQUET}
_AT_ONCE: Final = 1_000
"""Rows of a Parquet file that are read at once."""


def kind_of(file: Path) -> str:
    """What a file of rows is, by its name."""
    kind = _KINDS.get(file.suffix.lower())
    if kind is None:
        raise InputError("not a file of rows", found=file.name, valid=[*_KINDS])
    return kind


def count_rows(file: Path) -> int:
    """How many rows a file has; lines are counted, not read."""
    try:
        if kind_of(file) == PARQUET:
            return int(_parquet().ParquetFile(file).metadata.num_rows)
        with file.open("rb") as stream:
            return sum(1 for _ in _lines(stream))
    except OSError as error:
        raise LoadError(f"cannot be read: {error.strerror or error}", file=str(file)) from None


def rows_in(file: Path) -> Iterator[object]:
    """The rows of a file, one after another: lines of JSON as bytes, rows of Parquet as mappings."""
    if kind_of(file) == LINES:
        with file.open("rb") as stream:
            yield from _lines(stream)
        return
    for batch in _parquet().ParquetFile(file).iter_batches(batch_size=_AT_ONCE):
        for row in batch.to_pylist():
            yield _without_nulls(row)


def as_bytes(row: object) -> bytes:
    """A row as bytes that are the same when it is read again."""
    return row if isinstance(row, bytes) else json.dumps(row, sort_keys=True, default=str).encode()


def write_results(stream: BinaryIO, kind: str, results: Sequence[AssembledRow]) -> None:
    """The rows that have a result."""
    rows = [_written(each) for each in results if each.error is None]
    if kind == LINES:
        for row in rows:
            stream.write(_line(row))
        return
    names = ("row", "id", "messages", "token_count", "fingerprint", "receipt")
    table = {name: [_cell(name, row.get(name)) for row in rows] for name in names}
    arrow = _arrow()
    schema = arrow.schema(
        [(name, arrow.int64() if name in _NUMBERS else arrow.string()) for name in names]
    )
    _parquet().write_table(arrow.table(table, schema=schema), stream)


def write_errors(stream: BinaryIO, results: Sequence[AssembledRow]) -> None:
    """The rows that have none."""
    for each in results:
        if each.error is not None:
            known = {"row": each.row, "id": each.id, "error": each.error, "problem": each.problem}
            stream.write(_line({name: value for name, value in known.items() if value is not None}))


_NUMBERS: Final = ("row", "token_count")


def _written(result: AssembledRow) -> dict[str, Any]:
    found = {
        "row": result.row,
        "id": result.id,
        "messages": result.messages,
        "token_count": result.token_count,
        "fingerprint": result.fingerprint,
        "receipt": result.receipt,
    }
    return {name: value for name, value in found.items() if value is not None}


def _line(row: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(row, ensure_ascii=False).encode() + b"\n"
    except UnicodeEncodeError:  # half of a surrogate pair
        return json.dumps(row).encode() + b"\n"


def _cell(name: str, value: Any) -> Any:
    """What a row has in a column: a number, or a text, which is JSON where rows differ in their shape."""
    if value is None or name in _NUMBERS or name == "fingerprint":
        return value
    if name == "id":
        return str(value)
    return json.dumps(value)


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    """The lines that are not blank."""
    return (line for line in stream if line.strip())


def _without_nulls(value: Any) -> Any:
    """A table has each column in each row, and a struct each field: what is null was not there."""
    if isinstance(value, dict):
        return {name: _without_nulls(each) for name, each in value.items() if each is not None}
    if isinstance(value, list):
        return [_without_nulls(each) for each in value]
    return value


def _arrow() -> Any:
    try:
        import pyarrow as pa
    except ImportError:
        raise MissingExtraError("pyarrow", "ray") from None
    return pa


def _parquet() -> Any:
    _arrow()
    from pyarrow import parquet

    return parquet
