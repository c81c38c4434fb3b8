"""One page of a combined retriever: what is placed of everything that was offered, and why not the rest."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from biblicus_context.retrieval.combined.combination import Combination
from biblicus_context.retrieval.combined.filling import filled
from biblicus_context.retrieval.combined.page import Merged, PageLimits
from biblicus_context.retrieval.combined.pool import Pooled
from biblicus_context.retrieval.combined.sifting import above_floor, without_repetition
from biblicus_context.spec.combined import SourceSpec


def merged(
    ranked: Sequence[Pooled],
    combination: Combination,
    limits: PageLimits,
    placed: Collection[str] = (),
) -> Merged:
    """What fits of a ranking, best first; `placed` are the ids on earlier pages."""
    spec = combination.spec
    sure = _guaranteed(ranked, spec.of)
    ordered = sorted(ranked, key=lambda each: each.id not in sure)  # stable
    similar, below = above_floor(ordered, spec)
    fresh, repeated = without_repetition(similar, spec, placed)
    page = filled(fresh, sure, combination, limits)
    return page._replace(left_out=(*below, *repeated, *page.left_out))


def _guaranteed(ranked: Iterable[Pooled], sources: Sequence[SourceSpec]) -> set[str]:
    """The ids of the best blocks of each source with a guarantee, by its own ranking."""
    wanted = {source.name: source.guarantee for source in sources if source.guarantee}
    return {
        each.id
        for each in ranked
        if any(place <= wanted.get(name, 0) for name, place in each.places.items())
    }
