"""Candidates without their twins."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from biblicus_context.retrieval.candidate import Candidate, best_first
from biblicus_context.retrieval.dedupe.twins import NEAR, Entry, Twin, twins


class Deduplicated(NamedTuple):
    """What stays, best first, and for each id that goes the twin that stays."""

    kept: list[Candidate]
    dropped: list[tuple[Candidate, Candidate, Twin]]
    """The one that goes, its twin that stays, and why."""


def deduplicated(candidates: Iterable[Candidate], *, near: float | None = NEAR) -> Deduplicated:
    """Of candidates that say the same the better-scored one stays."""
    ranked = best_first(candidates)
    found = twins([Entry(each.id, each.text, each.is_turn) for each in ranked], near=near)
    gone = {twin.dropped for twin in found}
    return Deduplicated(
        [each for place, each in enumerate(ranked) if place not in gone],
        [(ranked[twin.dropped], ranked[twin.kept], twin) for twin in found],
    )
