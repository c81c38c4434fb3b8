"""The parts of a plan as sources of a page: each has a label, and a tint of its own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from biblicus_context.pages.bars import Bar

_PACK_TINTS = 6


@dataclass(frozen=True, slots=True)
class PageSource:
    """Where text comes from, and the class that colours it."""

    label: str
    tint: str
    anchor: str = ""
    """The id of its first text on the page."""


def sources_of(rows: Iterable[Bar]) -> Mapping[str, PageSource]:
    """The source at each place of the plan; equal names are numbered, and packs take turns with tints, so that neighbours differ."""
    rows = list(rows)
    names = Counter(row.label for row in rows if not row.depth)
    times: Counter[str] = Counter()
    found: dict[str, PageSource] = {}
    packs = 0
    for row in rows:
        if row.depth:
            continue
        tint, label = row.tint, row.label
        if names[label] > 1:
            times[label] += 1
            label = f"{label} #{times[label]}"
        if row.tint in ("pack", "nested"):
            found[row.place] = PageSource(label, f"pack-{packs % _PACK_TINTS}", _anchor(row.place))
            packs += 1
        else:
            found[row.place] = PageSource(label, tint, _anchor(row.place))
    return found


def _anchor(place: str) -> str:
    return "from-" + re.sub(r"[^a-z0-9]+", "-", place.lower()).strip("-")
