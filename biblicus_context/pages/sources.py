"""The parts of a plan as sources of a page: each has a label, and a tint of its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from biblicus_context.pages.bars import Bar

_PACK_TINTS = 6


@dataclass(frozen=True, slots=True)
class PageSource:
    """Where text comes from, and the class that colours it."""

    label: str
    tint: str


def sources(rows: Iterable[Bar]) -> Mapping[str, PageSource]:
    """The source at each place of the plan; packs take turns with tints, so that neighbours differ."""
    found: dict[str, PageSource] = {}
    packs = 0
    for row in rows:
        if row.depth:
            continue
        tint = row.tint
        if row.tint in ("pack", "nested"):
            found[row.place] = PageSource(row.label, f"pack-{packs % _PACK_TINTS}")
            packs += 1
        else:
            found[row.place] = PageSource(row.label, tint)
    return found
