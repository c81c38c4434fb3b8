"""Blocks that are brought back where there is room in the end.

Whether a block fits is known last. A pack gives up a block for its duplicate in another one, which may
have no place for it; and a combined retriever leaves blocks out for others, which may have to go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from biblicus_context.assembly.draft import Draft, Gathered
from biblicus_context.assembly.packs.duplicates import PlacedBlocks
from biblicus_context.assembly.packs.piece import PackPiece
from biblicus_context.assembly.packs.row import JOIN_SLACK, FittedPack, fill, with_dropped
from biblicus_context.assembly.packs.source_call import block_of
from biblicus_context.assembly.reasons import Reason
from biblicus_context.assembly.steps.flow import grown_share, spare
from biblicus_context.assembly.steps.parts import PackPart, RetrieverSource
from biblicus_context.base.effects import Effectful
from biblicus_context.retrieval.choosing.left_out import LeftOut

Room = Callable[[int, FittedPack], int]
"""The tokens that a pack may have in addition."""


class _Offered(NamedTuple):
    """A pack's blocks to bring back, and what its combined retriever says of the others."""

    pieces: tuple[tuple[PackPiece, int], ...]
    left_out: tuple[LeftOut, ...]


def brought_back(draft: Draft, placed: Mapping[int, FittedPack], room: Room) -> dict[int, Gathered]:
    """The packs that have blocks to bring back, with these as dropped ones: `fill` gives them back."""
    found: dict[int, Gathered] = {}
    kept: PlacedBlocks | None = None  # made for the first pack that needs it: most calls have none
    for index, gathered in draft.packs.items():
        fitted = placed[index]
        if not fitted.row.copies or gathered.share == 0 or gathered.failure:
            continue
        given_up = gathered.given_up if draft.limits.dedupe is not None else ()
        if not given_up and not gathered.combined_left_out:
            continue
        left = room(index, fitted)
        waiting = _waiting(draft, index, left)
        if not given_up and not waiting:
            continue
        kept = kept or PlacedBlocks(draft, placed)
        lost: list[tuple[PackPiece, int]] = []
        elsewhere: dict[str, Reason] = {}
        for piece, tokens in given_up:
            reason = kept.lost_to(index, piece, keep=tokens <= left)
            if reason is None:
                lost.append((piece, tokens))
            elif piece.block is not None:
                elsewhere[piece.block.evidence_item_id] = reason
        offered = _offered(draft, index, fitted, waiting, kept, left) if waiting else None
        pieces = (*lost, *(offered.pieces if offered else ()))
        if pieces:
            fitted = with_dropped(fitted, pieces, draft.limits.counter)
        found[index] = _with(gathered, fitted, elsewhere, offered)
    return found


def _with(
    gathered: Gathered,
    fitted: FittedPack,
    elsewhere: Mapping[str, Reason],
    offered: _Offered | None,
) -> Gathered:
    """The pack with blocks that it has again, and with the pack that has the others in the end."""
    known = {piece.block.evidence_item_id for piece in fitted.row.pieces.values() if piece.block}
    repeated = tuple(
        (identity, elsewhere.get(identity, why) if why.cause == "duplicate" else why)
        for identity, why in gathered.repeated
        if identity not in known
    )
    gathered = gathered._replace(fitted=fitted, repeated=repeated)
    if offered is None or gathered.combined is None:
        return gathered
    return gathered._replace(combined=gathered.combined._replace(left_out=offered.left_out))


def with_brought_back(draft: Draft) -> Effectful[Draft]:
    """A nested context whose packs have their blocks again, within its limits."""
    if draft.limits.overflow != "compact":
        return draft

    def room(index: int, fitted: FittedPack) -> int:
        return _most(draft, index) - fitted.tokens

    placed = {index: gathered.fitted for index, gathered in draft.packs.items()}
    for index, gathered in brought_back(draft, placed, room).items():
        most = _most(draft, index)
        shortener = draft.limits.shortener(gathered.query)
        filled = yield from fill(gathered.fitted, most, shortener)
        share = gathered.share
        if share is not None:  # what others leave may go beyond the first one
            share = max(share, filled.tokens)
        packs = {**draft.packs, index: gathered._replace(fitted=filled, share=share)}
        draft = draft._replace(packs=packs, shares={**draft.shares, index: share})
    return draft


_UNLIMITED = 2**62


def _most(draft: Draft, index: int) -> int:
    """The tokens that a pack may have here, together with what no other one uses."""
    fitted = draft.packs[index].fitted
    if draft.pack_total is not None:
        return max(fitted.tokens, grown_share(draft, index, spare(draft)))
    part, share = draft.parts[index], draft.shares.get(index)
    cap = part.claim.cap if isinstance(part, PackPart) else None
    return min((each for each in (share, cap) if each is not None), default=_UNLIMITED)


def _waiting(draft: Draft, index: int, left: int) -> dict[int, LeftOut]:
    """What was left out for tokens, and may fit now, by its number among everything left out.

    Of a selection nobody knows what it would choose of more.
    """
    gathered, part = draft.packs[index], draft.parts[index]
    source = part.source if isinstance(part, PackPart) else None
    if not isinstance(source, RetrieverSource) or source.combined is None:
        return {}
    if not source.combined.combination.choosing.fills_in_order:
        return {}
    return {
        at: each
        for at, each in enumerate(gathered.combined_left_out)
        if each.cause == "share" and each.candidate.tokens <= left + JOIN_SLACK
    }


def _offered(
    draft: Draft,
    index: int,
    fitted: FittedPack,
    waiting: Mapping[int, LeftOut],
    kept: PlacedBlocks,
    left: int,
) -> _Offered:
    """What fits into the room of the blocks that were left out for others, the best first."""
    gathered, part = draft.packs[index], draft.parts[index]
    assert isinstance(part, PackPart)
    source = part.source
    assert isinstance(source, RetrieverSource)
    assert source.combined is not None
    assert gathered.row_of is not None
    row = gathered.row_of([block_of(each.candidate) for each in waiting.values()])
    share = None if gathered.share is None else gathered.share // part.copies
    limit = source.limit(share)
    slots = limit * max(1, gathered.pages)
    slots -= sum(piece.block is not None for piece in fitted.kept.values())
    most = source.settings.maximum_total_characters
    length = sum(len(piece.text) for piece in fitted.kept.values())
    cap = source.combined.combination.choosing.item_cap
    highest = left if share is None or not cap.is_declared else min(left, cap.most(share))
    pieces: list[tuple[PackPiece, int]] = []
    now: dict[int, LeftOut] = {}
    for (at, was), piece, needed in zip(
        waiting.items(), row.pieces.values(), row.tokens, strict=True
    ):
        candidate = was.candidate
        if needed > highest:
            continue  # as before, and for the reason that it was left out
        if most is not None and length + len(candidate.text) > most:
            now[at] = LeftOut(candidate, "maximum_total_characters", most)
        elif slots <= 0:
            now[at] = LeftOut(candidate, "limit", limit)
        elif reason := kept.lost_to(index, piece):
            now[at] = LeftOut(candidate, "duplicate", detail=reason.detail)
        else:
            left, slots, length = left - needed, slots - 1, length + len(candidate.text)
            highest = min(highest, left)
            rank = piece.importance[3] - len(fitted.row.tokens)
            pieces.append((piece._replace(importance=(*piece.importance[:3], rank)), needed))
    left_out = tuple(now.get(at, each) for at, each in enumerate(gathered.combined_left_out))
    return _Offered(tuple(pieces), left_out)
