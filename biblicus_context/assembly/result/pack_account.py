"""The part of a receipt that a pack is: its blocks, or the parts of the context that it is."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from math import isfinite
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias, get_args

from biblicus_context.assembly.draft import Attempt, Gathered
from biblicus_context.assembly.packs.piece import PackPiece, PieceChange
from biblicus_context.assembly.packs.row import FittedPack
from biblicus_context.assembly.packs.source_call import block_of
from biblicus_context.assembly.reasons import LimitCause, Reason, hides_evidence
from biblicus_context.assembly.result.binding import Bounds, binding, starving
from biblicus_context.assembly.result.combined_account import (
    Weigh,
    left_out_blocks,
    source_accounts,
    sources_by_block,
    tokens_of_left_out,
)
from biblicus_context.assembly.result.reason_fields import ReasonFields, fields, fields_of_change
from biblicus_context.assembly.result.receipt import ReceiptBlock, ReceiptPart
from biblicus_context.assembly.steps.parts import NestedSource, PackPart
from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.packs.evidence import score_of, source_of
from biblicus_context.retrieval.packs.facts import facts_of
from biblicus_context.retrieval.packs.pack import ContextPackBlock
from biblicus_context.text.counters import Counter, count_joined

Changes: TypeAlias = Mapping[str, PieceChange]
"""What happened to pieces, by their keys."""
Left: TypeAlias = Mapping[str, PackPiece]
"""The pieces that are left in the end, by their keys."""

_ANY_TAG: Final = "evidence-00000000"
"""As long as any tag of a fence."""
_OTHER: Final = Reason("other_answer")
_LIMITS: Final = frozenset(get_args(LimitCause))
_CUTTING: Final = _LIMITS | {"maximum_total_characters"}
"""What leaves evidence out that was found."""
_CUT: Final = frozenset({"shortened", "dropped", "not asked"})


class FinishedPack(NamedTuple):
    """A pack in the end."""

    part: PackPart
    gathered: Gathered
    fitted: FittedPack
    counter: Counter
    outer: Changes = MappingProxyType({})
    """What outer contexts did to its pieces."""
    left: Left = MappingProxyType({})
    """What outer contexts left of its pieces, where they did anything to them."""

    @property
    def changes(self) -> Changes:
        """What happened to its pieces here and in outer contexts."""
        pieces, changes = self.fitted.row.pieces, self.fitted.changes
        own = {piece.key: changes[at] for at, piece in pieces.items() if at in changes}
        return own | dict(self.outer)

    @property
    def placed(self) -> Mapping[int, PackPiece]:
        """The pieces that are placed in the end, by number."""
        kept = self.fitted.kept
        if not self.outer:
            return kept
        return {at: self.left[each.key] for at, each in kept.items() if each.key in self.left}

    @property
    def given(self) -> int:
        """The exact tokens of its text, also of what outer contexts left of it."""
        if not self.outer:
            return self.fitted.tokens
        row = self.fitted.row
        (tokens,) = count_joined(self.counter, [row.parts(self.placed)])
        return tokens * row.copies

    @property
    def asked(self) -> int | None:
        """The tokens of all that it offers, with what its format writes around blocks.

        Where nothing is placed, that is what the first block would have needed besides its own tokens.
        """
        row = self.fitted.row
        if not row.tokens:
            return None
        first = {} if self.fitted.kept else dict(islice(row.pieces.items(), 1))
        return sum(row.tokens) + (self.around or row.format_tokens(first, self.counter))

    def weigh(self, block: Candidate) -> int:
        """The tokens of a block that is not among its pieces, as the format writes it."""
        form = self.part.form
        if form is None or form.is_plain or not block.tokens or block.offered is None:
            return block.tokens * self.fitted.row.copies
        tag = _ANY_TAG if form.spec.fence else ""
        written = form.write(block_of(block), tag, guarded=False)
        return self.counter.count("".join(written)) * self.fitted.row.copies

    @property
    def around(self) -> int:
        """The tokens of what its format writes around blocks."""
        return self.fitted.row.format_tokens(self.placed, self.counter)


def pack_account(
    pack: FinishedPack, bounds: Bounds, cap: int | None, inner: tuple[ReceiptPart, ...]
) -> ReceiptPart:
    """The part of the receipt; `inner` are the parts of a nested context."""
    part, gathered = pack.part, pack.gathered
    changes, around = pack.changes, pack.around
    is_nested = isinstance(part.source, NestedSource)
    needed = [*_needed(pack)]
    of_blocks = binding(bounds, 0 if is_nested else min(needed)) if needed else bounds
    if gathered.share != 0:  # what starves a pack is found among all limits
        bounds = of_blocks
    blocks = () if is_nested else _blocks(pack, changes, of_blocks)
    return ReceiptPart(
        place=part.place,
        kind="context",
        name=part.name,
        share=gathered.share,
        cap=cap,
        minimum=part.options.budget.min_tokens if part.options.budget else None,
        pack_budget=_pack_budget(pack),
        asked=pack.asked,
        given=pack.given,
        format=around,
        priority=part.claim.priority,
        query=gathered.query,
        requests=gathered.requests,
        pages=gathered.pages,
        sources=source_accounts(gathered.combined, blocks),
        blocks=blocks,
        parts=inner,
        relevance=gathered.relevance.verdict if gathered.relevance else None,
        **_verdict(pack, changes, blocks, inner, bounds),
    )


def _needed(pack: FinishedPack) -> Iterator[int]:
    """What would have been enough for each block that tokens left out."""
    changes, row = pack.changes, pack.fitted.row
    for at, piece in row.pieces.items():
        if piece.key in changes:
            yield row.tokens[at] - changes[piece.key].tokens
    yield from tokens_of_left_out(pack.gathered.combined, pack.weigh)


def _pack_budget(pack: FinishedPack) -> int | None:
    """Of a nested context that divides its share itself."""
    inner = pack.gathered.nested
    total = inner.limits.pack_total if inner else None
    return None if total is None else total * pack.fitted.row.copies


def _of_nothing(gathered: Gathered) -> ReasonFields:
    if hides_evidence(gathered.repeated):
        return fields("dropped", Reason("duplicate", detail="other packs contain all of it"))
    decided = gathered.relevance
    if decided is not None and decided.verdict == "nothing":
        return fields("kept", Reason("relevance", detail=decided.text))
    below = [*_below_floor(gathered)]
    if below:  # the best of them says how far it is from enough
        return fields("kept", max(below, key=lambda each: each.score or 0.0))
    return fields("kept", Reason("nothing_found"))


def _below_floor(gathered: Gathered) -> Iterator[Reason]:
    """Why blocks are left out that are not similar enough."""
    yield from (each for _, each in gathered.repeated if each.cause == "min_score")
    for lost in gathered.combined.left_out if gathered.combined else ():
        if lost.cause == "min_score":
            yield Reason(lost.cause, lost.figure, lost.detail, score=lost.score)


def _cut_short(blocks: Sequence[ReceiptBlock]) -> PieceChange | None:
    """Why blocks are missing from a pack whose pieces are all placed, where a limit of its own cut it.

    Blocks that a retriever was not asked for, or did not choose, are not missing: of a ranking that
    fills its share there is always more.
    """
    for block in blocks:
        if block.action == "dropped" and block.cause == "maximum_total_characters":
            return PieceChange("shortened", reason=Reason(block.cause, block.figure))
        if block.action == "dropped" and block.cause in _LIMITS and block.asked is not None:
            return PieceChange("shortened")
    return None


def _cut_inside(inner: Sequence[ReceiptPart], given: int) -> ReasonFields | None:
    """Why blocks are missing from a nested context that has all that was left for it in the inner parts.

    An alternative that does not fit is not missing: another one is in its place.
    """
    for part in inner:
        is_missing = part.action == "shortened" or ".first[" not in part.place
        if is_missing and part.action in _CUT and part.cause in _CUTTING:
            return {
                "action": "shortened" if given else "dropped",
                "reason": f"in '{part.name}': {part.reason}",
                "cause": part.cause,
                "figure": part.figure,
            }
    return None


def _verdict(
    pack: FinishedPack,
    changes: Changes,
    blocks: Sequence[ReceiptBlock],
    inner: Sequence[ReceiptPart],
    bounds: Bounds,
) -> ReasonFields:
    # In the order in which one hides the next: a pack that was not asked cannot fail, one that
    # failed has no blocks, and a nested plan that was cut inside was not cut as a whole.
    gathered, pieces = pack.gathered, pack.fitted.row.pieces
    is_placed = isinstance(pack.part.source, NestedSource) and pack.given  # with overflow: none
    if gathered.share == 0 and not is_placed:
        return fields("not asked", gathered.not_asked or starving(bounds))
    if gathered.failure:
        return fields("failed", Reason("failed", detail=gathered.failure))
    cut_inside = None if changes else _cut_inside(inner, pack.given)
    if cut_inside is not None:
        return cut_inside
    if not pieces or (pack.fitted.row.is_notice and not changes):
        return _of_nothing(gathered)
    gone = [changes[piece.key] for piece in pieces.values() if piece.key in changes]
    if not gone:
        cut = _cut_short(blocks)
        return fields_of_change(cut, bounds) if cut else fields("kept", gathered.stop)
    dropped = sum(change.action == "dropped" for change in gone)
    special = next((change for change in gone if change.note or change.reason), gone[0])
    whole = PieceChange("dropped" if dropped == len(pieces) else "shortened")
    return fields_of_change(whole._replace(note=special.note, reason=special.reason), bounds)


def _blocks(pack: FinishedPack, changes: Changes, bounds: Bounds) -> tuple[ReceiptBlock, ...]:
    """Everything that was offered, each block once."""
    gathered, weigh = pack.gathered, pack.weigh
    blocks = [*_placed(pack.fitted, changes, gathered, bounds)]
    offered = {block.id for block in blocks}
    blocks += _left_out(gathered, bounds, weigh, offered)
    known = {block.id for block in blocks}
    for answer in (*gathered.attempts, *gathered.earlier):
        for block in _only_in(answer, known, weigh):
            known.add(block.id)
            blocks.append(block)
    return tuple(blocks)


def _placed(
    fitted: FittedPack, changes: Changes, gathered: Gathered, bounds: Bounds
) -> Iterator[ReceiptBlock]:
    """The blocks of the answer that the pack is made of."""
    finders = sources_by_block(gathered.combined)
    for at, piece in fitted.row.pieces.items():
        block = piece.block
        if block is not None:
            yield ReceiptBlock(
                **_facts(block),
                sources=finders.get(block.evidence_item_id, ()),
                page=piece.page,
                asked=fitted.row.tokens[at],
                given=_given(fitted, at, piece, changes),
                **fields_of_change(changes.get(piece.key), bounds),
            )


def _left_out(
    answer: Gathered | Attempt, bounds: Bounds, weigh: Weigh, offered: Collection[str] = ()
) -> Iterator[ReceiptBlock]:
    """What an answer had in addition, and was left out before anything was fitted.

    What a combined retriever gave up for another pack may be among the offered blocks again.
    """
    finders = sources_by_block(answer.combined)
    for identity, reason in answer.repeated:
        # The share may have grown since, and it may be another limit that made it as small.
        known = None if reason.cause == "share" else reason
        change = PieceChange("dropped", reason=known)
        yield ReceiptBlock(
            id=identity,
            sources=finders.get(identity, ()),
            given=0,
            **fields_of_change(change, bounds),
        )
    left_out = left_out_blocks(answer.combined, bounds, weigh)
    yield from (block for block in left_out if block.id not in offered)


def _only_in(answer: Attempt, known: Collection[str], weigh: Weigh) -> Iterator[ReceiptBlock]:
    """What was offered only in an answer that nothing is placed of."""
    failed = Reason("failed", detail=answer.failure) if answer.failure else None
    finders = sources_by_block(answer.combined)
    for piece in answer.row.pieces.values():
        block = piece.block
        if block is not None and block.evidence_item_id not in known:
            yield ReceiptBlock(
                **_facts(block),
                sources=finders.get(block.evidence_item_id, ()),
                page=piece.page,
                given=0,
                **fields("dropped", failed or _OTHER),
            )
    yield from (block for block in _left_out(answer, _OTHER, weigh) if block.id not in known)


def _facts(block: ContextPackBlock) -> dict[str, Any]:
    """What a receipt says of a block wherever it is."""
    return {
        "id": block.evidence_item_id,
        "source": source_of(block),
        "origin": facts_of(block).further_origin,
        "score": score_of(block),
        "parts": _score_parts(block),
    }


def _score_parts(block: ContextPackBlock | None) -> dict[str, float]:
    """The parts of a score by name, where the retriever gives any; JSON has no infinity."""
    parts = (block.metadata or {}).get("parts") if block else None
    if not isinstance(parts, Mapping):
        return {}
    return {
        str(name): float(part)
        for name, part in parts.items()
        if isinstance(part, int | float) and isfinite(part)
    }


def _given(fitted: FittedPack, at: int, piece: PackPiece, changes: Changes) -> int:
    change = changes.get(piece.key)
    return fitted.row.tokens[at] if change is None else change.tokens
