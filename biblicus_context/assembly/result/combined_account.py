"""The part of a receipt that says what the sources of a combined retriever offered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from biblicus_context.assembly.packs.combined_state import CombinedState, SourceState
from biblicus_context.assembly.packs.piece import PieceChange
from biblicus_context.assembly.reasons import Reason
from biblicus_context.assembly.result.binding import Bounds
from biblicus_context.assembly.result.reason_fields import fields_of_change
from biblicus_context.assembly.result.receipt import ReceiptBlock, ReceiptSource
from biblicus_context.retrieval.candidate import Candidate, EvidenceKey, key_of
from biblicus_context.retrieval.choosing.left_out import LeftOut


class _Lost(NamedTuple):
    """A block that is on no page."""

    key: EvidenceKey | None
    """None where a source says of a block only why it leaves it out."""
    block: ReceiptBlock


def sources_by_block(state: CombinedState | None) -> Mapping[str, tuple[str, ...]]:
    """The names of the sources that found each block of the pages."""
    return {each.id: each.found_by for each in state.placed} if state else {}


Weigh: TypeAlias = Callable[[Candidate], int]
"""The tokens of a block as its pack writes it."""


def tokens_of_left_out(state: CombinedState | None, weigh: Weigh) -> Iterator[int]:
    """The tokens of each block that the share left out while blocks of all sources were chosen."""
    for left in state.left_out if state else ():
        if left.cause == "share":
            yield weigh(left.candidate)


def left_out_blocks(
    state: CombinedState | None, bounds: Bounds, weigh: Weigh
) -> Iterator[ReceiptBlock]:
    """What was offered and is on no page, each once, under a name of its own.

    The share that left a block out may have grown since, so the bounds say in the end what binds.
    """
    if state is None:
        return
    known = {each.id for each in state.placed}
    for key, block in _lost(state, bounds, weigh):
        name = block.id
        if key is None and name in known:
            continue
        while name in known:
            name = f"{block.sources[0]}/{name}"
        known.add(name)
        yield block if name == block.id else block.model_copy(update={"id": name})


def _lost(state: CombinedState, bounds: Bounds, weigh: Weigh) -> Iterator[_Lost]:
    """What this retriever leaves out, what its sources leave out, and what sources in its sources lost."""
    for left in state.left_out:
        yield _Lost(key_of(left.candidate), _left_out(left, bounds, weigh))
    known = {key_of(each) for each in state.offers}
    for source in state.sources:
        for each in source.left_out:
            reason = (
                None
                if each.cause == "share"
                else Reason(each.cause, each.figure, each.detail, score=each.score)
            )
            block = ReceiptBlock(
                id=each.evidence_item_id,
                sources=(source.name,),
                given=0,
                **fields_of_change(PieceChange("dropped", reason=reason), bounds),
            )
            yield _Lost(None, block)
        for key, block in _lost(source.inner, bounds, weigh) if source.inner else ():
            if key not in known:
                known |= {key} if key else set()
                yield _Lost(key, block.model_copy(update={"sources": (source.name,)}))


def _left_out(left: LeftOut, bounds: Bounds, weigh: Weigh) -> ReceiptBlock:
    facts = left.candidate
    known = (
        None
        if left.cause == "share"
        else Reason(left.cause, left.figure, left.detail, score=left.score)
    )
    return ReceiptBlock(
        id=facts.id,
        source=facts.source,
        origin=facts.further_origin,
        score=facts.score,
        parts=facts.parts,
        sources=facts.found_by,
        asked=weigh(facts) or None,
        given=0,
        **fields_of_change(PieceChange("dropped", reason=known), bounds),
    )


def source_accounts(
    state: CombinedState | None, blocks: Sequence[ReceiptBlock]
) -> tuple[ReceiptSource, ...]:
    """What each source was asked, offered and got placed."""
    return _accounts(state, {block.id for block in blocks if block.given}) if state else ()


def _accounts(state: CombinedState, placed: Collection[str]) -> tuple[ReceiptSource, ...]:
    """The accounts of all sources, where the blocks with these ids are placed."""
    given = [each for each in state.placed if each.id in placed]
    counts = Counter(name for each in given for name in each.found_by)
    keys = {key_of(each) for each in given}
    return tuple(
        ReceiptSource(
            name=source.name,
            query=source.query,
            requests=source.requests,
            pages=source.pages,
            offered=source.offered,
            placed=counts[source.name],
            failure=source.failure,
            sources=_accounts(source.inner, _own_ids(state, source, keys)) if source.inner else (),
        )
        for source in state.sources
    )


def _own_ids(
    state: CombinedState, source: SourceState, keys: Collection[EvidenceKey]
) -> Collection[str]:
    """The names that a source has for the evidence with these keys."""
    own = (each for each in state.offers if each.found_by == (source.name,))
    return {each.id for each in own if key_of(each) in keys}
