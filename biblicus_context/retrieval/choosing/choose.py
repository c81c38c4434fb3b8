"""One page of a combined retriever: what is placed of everything that was offered, and why not the rest."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.choosing.choosing import Choosing
from biblicus_context.retrieval.choosing.combination import Combination
from biblicus_context.retrieval.choosing.fit import Chosen, PageLimits, fit
from biblicus_context.retrieval.choosing.floor import above_floor
from biblicus_context.retrieval.choosing.left_out import LeftOut
from biblicus_context.retrieval.choosing.repetition import KeptBlocks
from biblicus_context.retrieval.packs.evidence import score_of
from biblicus_context.spec.choosing import min_score_spec
from biblicus_context.spec.combined import SourceSpec


class Sifted(NamedTuple):
    """A ranking without what no share has room for, and why: another share is fitted from the same."""

    fresh: Sequence[Candidate]
    """What may be placed, best first."""
    sure: Collection[str]
    """The ids that are guaranteed."""
    left_out: tuple[LeftOut, ...]


def sifted(
    ranked: Sequence[Candidate], combination: Combination, placed: Collection[str] = ()
) -> Sifted:
    """A ranking without what is below the floor, or repeats another block; `placed` are on earlier pages."""
    choosing = combination.choosing
    sure = _guaranteed(ranked, combination.spec.of)
    ordered = sorted(ranked, key=lambda each: each.id not in sure)  # stable
    similar, below = _above_floor(ordered, choosing)
    fresh, repeated = _without_repetition(similar, choosing, placed)
    return Sifted(fresh, sure, (*below, *repeated))


def choose(known: Sifted, combination: Combination, limits: PageLimits) -> Chosen:
    """What fits, best first."""
    page = fit(known.fresh, combination.choosing, limits, known.sure)
    return page._replace(left_out=(*known.left_out, *page.left_out))


def _guaranteed(ranked: Iterable[Candidate], sources: Sequence[SourceSpec]) -> set[str]:
    """The ids of the best blocks of each source with a guarantee, by its own ranking."""
    wanted = {source.name: source.guarantee for source in sources if source.guarantee}
    return {
        each.id
        for each in ranked
        if any(place <= wanted.get(name, 0) for name, place in each.places.items())
    }


def _above_floor(
    ordered: Sequence[Candidate], choosing: Choosing
) -> tuple[list[Candidate], list[LeftOut]]:
    """Without the blocks of other libraries whose own score, from 0 to 1, is below `min_score`.

    Retrievers over our corpora compared the query themselves.
    """
    floor = min_score_spec(choosing.spec.min_score)
    if floor is None:
        return [*ordered], []
    below: list[LeftOut] = []
    kept = above_floor(
        ordered,
        floor,
        lambda some: [*map(_own_score, some)],
        lambda each, least, score: below.append(
            LeftOut(each, "min_score", detail=f"{least:g}", score=score)
        ),
    )
    return [each for each, _ in kept], below


def _own_score(candidate: Candidate) -> float | None:
    block = candidate.offered
    score = score_of(block) if block is not None and block.carried is None else None
    return score if score is not None and 0 <= score <= 1 else None


def _without_repetition(
    ordered: Sequence[Candidate], choosing: Choosing, placed: Collection[str]
) -> tuple[list[Candidate], list[LeftOut]]:
    """What is on no page yet, without duplicates and with so many blocks of each document."""
    kept = KeptBlocks(choosing.spec)
    fresh: list[Candidate] = []
    repeated: list[LeftOut] = []
    # What is on earlier pages stays: a better block that arrives later may repeat it.
    for each in sorted(ordered, key=lambda each: each.id not in placed):
        document = each.corpus, each.document or each.source or each.id
        lost = kept.keep(each, document, always=each.id in placed)
        if lost is not None:
            repeated.append(lost)
        elif each.id not in placed:
            fresh.append(each)
    return fresh, repeated
