"""Stems that are spelt like a term, and how much each of them counts."""

from __future__ import annotations

from collections.abc import Iterable

from rapidfuzz import process
from rapidfuzz.distance import OSA

from biblicus_context.stores.ranking.needles import Spelling


def alike(stem: str, candidates: Iterable[str], similarity: float) -> tuple[Spelling, ...]:
    """The stem itself, and every candidate that is like it.

    One wrong, missing, additional or swapped letter of n makes two stems 1 - 1/n alike.
    """
    scored = process.extract(
        stem,
        [*candidates],
        scorer=OSA.normalized_similarity,
        processor=None,
        score_cutoff=similarity,
        limit=None,
    )
    found = {other: score for other, score, _ in scored if score >= similarity}
    return tuple(Spelling((each,), weight) for each, weight in sorted({**found, stem: 1.0}.items()))
