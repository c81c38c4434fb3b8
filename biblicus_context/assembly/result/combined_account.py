"""The part of a receipt that says what the sources of a combined retriever offered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from biblicus_context.assembly.packs.combined_state import CombinedState, SourceState
from biblicus_context.assembly.reasons import Reason
from biblicus_context.assembly.result.reason_fields import fields
from biblicus_context.assembly.result.receipt import ReceiptBlock, ReceiptSource


def sources_by_block(state: CombinedState | None) -> Mapping[str, tuple[str, ...]]:
    """The names of the sources that found each block of the pages."""
    return {each.id: each.facts.found_by for each in state.placed} if state else {}


def left_out_blocks(state: CombinedState | None) -> Iterator[ReceiptBlock]:
    """What was offered and is on no page, each once."""
    if state is None:
        return
    known = {each.id for each in state.placed}
    for pooled, cause, figure, detail in state.left_out:
        known.add(pooled.id)
        facts = pooled.facts
        yield ReceiptBlock(
            id=pooled.id,
            source=facts.source,
            origin=facts.further_origin,
            score=facts.score,
            parts=facts.parts,
            sources=facts.found_by,
            asked=pooled.tokens or None,
            given=0,
            **fields("dropped", Reason(cause, figure, detail)),
        )
    for source in state.sources:
        for each in source.repeated:
            if each.evidence_item_id not in known:
                known.add(each.evidence_item_id)
                reason = Reason("duplicate", detail=each.reason)
                yield ReceiptBlock(
                    id=each.evidence_item_id,
                    sources=(source.name,),
                    given=0,
                    **fields("dropped", reason),
                )


def source_accounts(
    state: CombinedState | None, blocks: Sequence[ReceiptBlock]
) -> tuple[ReceiptSource, ...]:
    """What each source was asked, offered and got placed."""
    if state is None:
        return ()
    placed = Counter(name for each in blocks if each.given for name in each.sources)
    return tuple(_account(each, placed[each.name]) for each in state.sources)


def _account(source: SourceState, placed: int) -> ReceiptSource:
    return ReceiptSource(
        name=source.name,
        query=source.query,
        requests=source.requests,
        pages=source.pages,
        offered=source.offered,
        placed=placed,
        failure=source.failure,
        sources=source_accounts(source.inner, ()),
    )
