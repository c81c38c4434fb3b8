"""The parts of several assemblies, matched so that each is one row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from biblicus_context.pages.bars import Bar

Path: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ComparedPart:
    """One part of the plan, with what each assembly made of it."""

    label: str
    depth: int
    cells: Sequence[Bar | None]


def compared_parts(
    columns: Iterable[Iterable[Bar]], name: Callable[[Bar], str]
) -> list[ComparedPart]:
    """Bars of the same name inside parts of the same names, the first with the first and so on."""
    found = [dict(_by_path(bars, name)) for bars in columns]
    known = {path: bar for column in found for path, bar in column.items()}
    return [
        ComparedPart(known[path].label, known[path].depth, [column.get(path) for column in found])
        for path in _merged(found)
    ]


def _by_path(bars: Iterable[Bar], name: Callable[[Bar], str]) -> Iterator[tuple[Path, Bar]]:
    path: Path = ()
    times: dict[Path, int] = {}
    for bar in bars:
        outer = path[: bar.depth]
        plain = (*outer, name(bar))
        times[plain] = times.get(plain, 0) + 1
        path = (*outer, f"{name(bar)} #{times[plain]}")
        yield path, bar


def _merged(columns: Iterable[Iterable[Path]]) -> list[Path]:
    """Every path once; one that only some columns have comes after the one it follows there."""
    merged: list[Path] = []
    for column in columns:
        at = 0
        for path in column:
            if path in merged:
                at = merged.index(path)
            else:
                merged.insert(at, path)
            at += 1
    return merged
