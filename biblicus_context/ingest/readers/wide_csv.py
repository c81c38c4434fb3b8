"""The standard library's reader of CSV, without its bound on the length of a field."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.util import find_spec, module_from_spec
from typing import Any, Final, Protocol

_UNBOUNDED: Final = 2**31 - 1
"""The most that every platform takes; a field is no longer than its file, which is bounded."""


class Rows(Protocol):
    """Rows, and how many lines they took so far."""

    line_num: int

    def __iter__(self) -> Iterator[list[str]]: ...
    def __next__(self) -> list[str]: ...


def _own() -> Any:
    """A copy of the module: its bound is of the whole process, where others may count on it."""
    spec = find_spec("_csv")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_csv: Final = _own()
_csv.field_size_limit(_UNBOUNDED)


def rows(lines: Iterable[str], delimiter: str) -> Rows:
    """The rows of a table."""
    found: Rows = _csv.reader(lines, delimiter=delimiter)
    return found
