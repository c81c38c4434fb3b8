"""What of a pool may be placed at all: similar enough, on no page yet, and not said before."""

from __future__ import annotations

from collections import Counter as Counts
from collections.abc import Collection, Sequence

from biblicus_context.retrieval.combined.page import LeftOut
from biblicus_context.retrieval.combined.pool import Pooled
from biblicus_context.retrieval.duplicates import KeptTexts, TextEntry
from biblicus_context.retrieval.packs.evidence import score_of
from biblicus_context.spec.combined import CombinedSpec
from biblicus_context.spec.min_score import min_score_spec


def above_floor(
    ordered: Sequence[Pooled], spec: CombinedSpec
) -> tuple[list[Pooled], list[LeftOut]]:
    """Without the blocks of other libraries whose own score, from 0 to 1, is below `min_score`.

    Retrievers over our corpora compare the query themselves.
    """
    floor = min_score_spec(spec.min_score)
    if floor is None:
        return [*ordered], []
    scores = {each.id: _own_score(each) for each in ordered}
    below = {name for name, score in scores.items() if score is not None and score < floor.each}
    said = f"{floor.each:g}"
    return [each for each in ordered if each.id not in below], [
        LeftOut(each, "min_score", detail=said) for each in ordered if each.id in below
    ]


def _own_score(pooled: Pooled) -> float | None:
    score = score_of(pooled.block) if pooled.block.carried is None else None
    return score if score is not None and 0 <= score <= 1 else None


def without_repetition(
    ordered: Sequence[Pooled], spec: CombinedSpec, placed: Collection[str]
) -> tuple[list[Pooled], list[LeftOut]]:
    """What is on no page yet, without duplicates and with so many blocks of each document."""
    dedupe, most = spec.duplicates, spec.maximum_items_per_source
    kept = KeptTexts(dedupe.near if dedupe else None)
    names: list[str] = []
    per_document: Counts[tuple[str | None, str]] = Counts()
    fresh: list[Pooled] = []
    repeated: list[LeftOut] = []
    # What is on earlier pages stays: a better block that arrives later may repeat it.
    for each in sorted(ordered, key=lambda each: each.id not in placed):
        facts = each.facts
        document = each.corpus, facts.document or facts.source or each.id
        if most is not None and per_document[document] >= most and each.id not in placed:
            repeated.append(LeftOut(each, "limit", most, "per-document "))
            continue
        entry = TextEntry(each.id, facts.text, facts.is_turn)
        duplicate = kept.add(len(names), entry) if dedupe else None
        if duplicate is not None:
            same = duplicate.describe(names[duplicate.kept])
            repeated.append(LeftOut(each, "duplicate", detail=same))
            continue
        names.append(each.id)
        per_document[document] += 1
        if each.id not in placed:
            fresh.append(each)
    return fresh, repeated
