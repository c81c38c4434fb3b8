"""Writes the receipt of a finished draft."""

from __future__ import annotations

import re
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from math import isfinite

from biblicus_context.assembly.draft import Draft, Gathered, Placement, Unplaced
from biblicus_context.assembly.history.selection import SelectedTurns
from biblicus_context.assembly.packs.duplicates import IN_OTHER_PACKS
from biblicus_context.assembly.packs.evidence import score_of, source_of
from biblicus_context.assembly.packs.frames import copies_in
from biblicus_context.assembly.packs.row import FittedPack, PackPiece, PieceChange, copied, nothing
from biblicus_context.assembly.result.receipt import (
    EMPTY,
    Action,
    Receipt,
    ReceiptBlock,
    ReceiptPart,
    ReceiptStep,
    ReceiptTurns,
)
from biblicus_context.assembly.steps.parts import (
    HistoryPart,
    NestedSource,
    PackPart,
    RetrieverSource,
    TextPart,
)
from biblicus_context.assembly.steps.quotes import has_quoted
from biblicus_context.retrieval.packs.pack import ContextPackBlock
from biblicus_context.retrieval.requests.answer import MOST_ABOVE_LIMIT

Changes = Mapping[str, PieceChange]
"""What outer contexts did to the pieces of an inner one, by the piece's key."""


def write_receipt(draft: Draft) -> Receipt:
    """The receipt of a draft that has a placement."""
    assert draft.placement is not None
    limits = draft.limits
    parts = tuple(_parts(draft, draft.placement))
    placed = sum(part.given for part in parts)
    budget = limits.budget
    return Receipt(
        context=draft.context.name,
        model=limits.model,
        counter=limits.counter.name,
        estimated=limits.counter.estimated or bool(draft.estimated),
        overflow=limits.overflow,
        budget=budget,
        window=limits.window,
        reserve=limits.reserve,
        tools=limits.tools,
        used=draft.tokens,
        left=None if budget is None else max(0, budget - draft.tokens),
        over=0 if budget is None else max(0, draft.tokens - budget),
        framing=draft.framing,
        joins=draft.tokens - draft.framing - placed,
        same_prefix=draft.same.tokens if draft.same else None,
        previous_used=draft.same.of if draft.same else None,
        parts=parts,
        notes=(
            *draft.notes,
            *_cut(draft),
            *_quotes(draft, draft.placement),
            *_unmet_minimums(parts),
            *_estimated(draft),
        ),
        warnings=tuple(dict.fromkeys(_warnings(draft))),
        steps=tuple(ReceiptStep(name=name, seconds=seconds) for name, seconds in draft.seconds),
    )


def _unmet_minimums(parts: tuple[ReceiptPart, ...]) -> Iterator[str]:
    """Packs whose minimums did not fit into the pack budget together with those of others."""
    for part in parts:
        if part.minimum is not None and part.share is not None and part.share < part.minimum:
            yield (
                f"pack '{part.name}' is guaranteed {part.minimum} tokens, "
                f"but its share is {part.share}"
            )


def _quotes(draft: Draft, placement: Placement) -> Iterator[str]:
    """Where packs are that the plan places only inside texts."""
    if not has_quoted(draft):
        return
    for text, frame in draft.frames(placement).items():
        for pack, times in copies_in([frame]).items():
            part = draft.parts[pack]
            assert isinstance(part, PackPart)
            often = f", {times} times: every copy is counted" if times > 1 else ""
            yield f"{part.place} ({part.name}) is placed inside {draft.parts[text].place}{often}"


def _estimated(draft: Draft) -> Iterator[str]:
    if draft.estimated:
        yield f"estimated: {', '.join(draft.estimated)} (a provider counts them when it reads them)"


def _parts(draft: Draft, placement: Placement) -> Iterator[ReceiptPart]:
    """Every directive in the order of the plan, placed or not, and then what no directive placed."""
    placed = deque(_placed_parts(draft, placement))
    rest = sorted(map(_unplaced_part(draft), draft.unplaced), key=lambda part: _number(part.place))
    for unplaced in rest:
        while placed and _number(placed[0].place) <= _number(unplaced.place):
            yield placed.popleft()
        yield unplaced
    yield from placed


def _number(place: str) -> tuple[int, ...]:
    """Where in the plan this is; what is not part of it comes last."""
    return tuple(map(int, re.findall(r"\[(\d+)\]", place))) or (sys.maxsize,)


def _placed_parts(draft: Draft, placement: Placement) -> Iterator[ReceiptPart]:
    texts = draft.texts(placement)
    written = draft.texts(placement._replace(shortened={})) if placement.shortened else texts
    for index, part in enumerate(draft.parts):
        match part:
            case TextPart():
                yield _text(draft, part, written[index], texts[index])
            case PackPart():
                yield _pack(draft.packs[index], part, placement.packs[index])
            case HistoryPart():
                yield _history(part, placement.history)
            case _:
                raise AssertionError("alternatives are chosen before this")


def _unplaced_part(draft: Draft) -> Callable[[Unplaced], ReceiptPart]:
    def written(entry: Unplaced) -> ReceiptPart:
        part = entry.part
        if isinstance(part, PackPart) and entry.gathered is not None:
            return _pack(entry.gathered, part, nothing(entry.gathered.fitted.row, entry.reason))
        text = part.text if isinstance(part, TextPart) else ""
        offered = bool(text or entry.messages)
        return ReceiptPart(
            place=entry.place,
            kind=entry.kind,
            name=part.name if isinstance(part, PackPart) else "",
            asked=draft.limits.counter.count(text) if text else None,
            action="dropped" if offered else "not asked",
            reason=entry.reason,
            turns=_all_dropped(entry.messages, entry.reason),
        )

    return written


def _warnings(draft: Draft) -> Iterator[str]:
    for gathered in draft.packs.values():
        yield from gathered.warnings
        if gathered.nested is not None:
            yield from _warnings(gathered.nested)


def _cut(draft: Draft) -> Iterator[str]:
    """Notes on retrievers that returned far more than they were asked for."""
    for at, gathered in draft.packs.items():
        part = draft.parts[at]
        if gathered.nested is not None:
            yield from _cut(gathered.nested)
        elif gathered.is_cut and isinstance(part, PackPart):
            assert isinstance(part.source, RetrieverSource)
            limit = part.source.limit(gathered.share)
            yield (
                f"pack '{part.name}': the retriever returned more than {MOST_ABOVE_LIMIT:,} blocks "
                f"above its limit of {limit:,}; the rest was not read"
            )


def _all_dropped(messages: int, reason: str) -> tuple[ReceiptTurns, ...]:
    if not messages:
        return ()
    last = messages - 1
    return (ReceiptTurns(first=0, last=last, given=0, action="dropped", reason=reason),)


def _text(draft: Draft, part: TextPart, before: str, after: str) -> ReceiptPart:
    count = draft.limits.counter.count
    tokens = count(before)
    action: Action = "kept"
    reason = "" if before else EMPTY
    if after != before:
        action = "shortened" if after else "dropped"
        reason = "marked shrink: true, and nothing else could shrink"
    return ReceiptPart(
        place=part.place,
        kind=part.role,
        asked=tokens,
        given=tokens if after == before else count(after),
        action=action,
        reason=reason,
        priority=part.priority,
    )


def _pack(
    gathered: Gathered, part: PackPart, fitted: FittedPack, outer: Changes | None = None
) -> ReceiptPart:
    changes = {
        piece.key: fitted.changes[at]
        for at, piece in fitted.row.pieces.items()
        if at in fitted.changes
    } | dict(outer or {})
    inner: tuple[ReceiptPart, ...] = ()
    blocks: tuple[ReceiptBlock, ...] = ()
    if gathered.nested is not None:
        inner = tuple(_nested_parts(gathered.nested, changes, fitted.row.copies))
    elif not isinstance(part.source, NestedSource):
        blocks = tuple(_blocks(fitted, changes, gathered))
    action, reason = _verdict(fitted, gathered, changes)
    return ReceiptPart(
        place=part.place,
        kind="context",
        name=part.name,
        share=gathered.share,
        minimum=part.options.budget.min_tokens if part.options.budget else None,
        asked=sum(fitted.row.tokens) if fitted.row.tokens else None,
        given=_placed_tokens(fitted, changes, outer),
        action=action,
        reason=reason,
        priority=part.claim.priority,
        query=gathered.query,
        requests=gathered.requests,
        pages=gathered.pages,
        blocks=blocks,
        parts=inner,
    )


def _placed_tokens(fitted: FittedPack, changes: Changes, outer: Changes | None) -> int:
    """Exact where the pack is placed as fitted; else the sum of what outer contexts left of it."""
    if not outer:
        return fitted.tokens
    return sum(_given(fitted, at, piece, changes) for at, piece in fitted.row.pieces.items())


def _verdict(fitted: FittedPack, gathered: Gathered, changes: Changes) -> tuple[Action, str]:
    if gathered.share == 0:
        return "not asked", gathered.note
    if gathered.failure:
        return "failed", gathered.failure
    if not fitted.row.tokens:
        return ("dropped", IN_OTHER_PACKS) if gathered.repeated else ("kept", "came back empty")
    gone = [
        changes[piece.key].action for piece in fitted.row.pieces.values() if piece.key in changes
    ]
    if gone.count("dropped") == len(fitted.row.tokens):
        return "dropped", next(iter(changes.values())).reason
    if gone:
        first = next(
            changes[piece.key] for piece in fitted.row.pieces.values() if piece.key in changes
        )
        return "shortened", first.reason
    return "kept", ""


def _blocks(fitted: FittedPack, changes: Changes, gathered: Gathered) -> Iterator[ReceiptBlock]:
    for at, piece in fitted.row.pieces.items():
        change = changes.get(piece.key)
        block = piece.block
        yield ReceiptBlock(
            id=block.evidence_item_id if block else piece.key,
            source=source_of(block),
            score=score_of(block),
            parts=_score_parts(block),
            page=piece.page,
            asked=fitted.row.tokens[at],
            given=_given(fitted, at, piece, changes),
            action=_action(change),
            reason=change.reason if change else "",
        )
    for identity, reason in gathered.repeated:
        yield ReceiptBlock(id=identity, given=0, action="dropped", reason=reason)


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


def _action(change: PieceChange | None) -> Action:
    if change is None:
        return "kept"
    return "shortened" if change.action == "shortened" else "dropped"


def _nested_parts(inner: Draft, outer: Changes, copies: int) -> Iterator[ReceiptPart]:
    """The parts of a nested context, with what the outer contexts did to them, in all its copies."""
    texts = inner.texts(Placement({at: gathered.fitted for at, gathered in inner.packs.items()}))
    for index, part in enumerate(inner.parts):
        if isinstance(part, TextPart):
            change = outer.get(part.place)
            tokens = inner.limits.counter.count(texts[index]) * copies
            yield ReceiptPart(
                place=part.place,
                kind=part.role,
                asked=tokens,
                given=tokens if change is None else change.tokens,
                action=_action(change),
                reason=change.reason if change else "",
            )
        elif isinstance(part, PackPart):
            gathered = inner.packs[index]
            prefix = f"{part.place}/"
            within = {
                key.removeprefix(prefix): change
                for key, change in outer.items()
                if key.startswith(prefix)
            }
            fitted = copied(gathered.fitted, gathered.fitted.row.copies * copies, "")
            yield _pack(gathered, part, fitted, within)
    yield from map(_unplaced_part(inner), inner.unplaced)


def _history(part: HistoryPart, selection: SelectedTurns) -> ReceiptPart:
    turns = tuple(sorted(_turns(selection), key=lambda turn: turn.first))
    gone = any(turn.action == "dropped" for turn in turns)
    action: Action = "kept"
    if gone:
        action = "shortened" if selection.kept or selection.summary else "dropped"
    measured = selection.tokens + sum(turn.tokens for turn, _ in selection.dropped)
    return ReceiptPart(
        place=part.place,
        kind="history",
        asked=None if selection.older else measured,
        given=selection.all_tokens,
        action=action,
        reason=_why(selection) if gone else "",
        turns=turns,
    )


def _why(selection: SelectedTurns) -> str:
    reason = selection.reason or selection.dropped[0][1]
    if selection.summary:
        return f"{reason}; a summary of {selection.summary_tokens} tokens stands for what went"
    return reason


def _turns(selection: SelectedTurns) -> Iterator[ReceiptTurns]:
    yield from _all_dropped(selection.older, selection.reason)
    for turn, reason in selection.dropped:
        yield ReceiptTurns(
            first=turn.first,
            last=turn.end - 1,
            asked=turn.tokens,
            given=0,
            action="dropped",
            reason=reason,
        )
    for turn in selection.turns():
        yield ReceiptTurns(
            first=turn.first,
            last=turn.end - 1,
            asked=turn.tokens,
            given=turn.tokens,
            action="kept",
        )
