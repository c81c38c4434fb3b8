"""Writes the receipt of a finished draft."""

from __future__ import annotations

import re
import sys
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from biblicus_context.assembly.draft import Draft, Placement, Unplaced
from biblicus_context.assembly.history.selection import HistoryTurn, SelectedTurns
from biblicus_context.assembly.packs.frames import copies_in
from biblicus_context.assembly.packs.piece import PieceChange
from biblicus_context.assembly.packs.row import copied, nothing
from biblicus_context.assembly.queries.notes import rewrite_notes
from biblicus_context.assembly.reasons import Reason
from biblicus_context.assembly.result.binding import (
    Bounds,
    cap_of,
    limits_of_context,
    limits_of_pack,
    seen_inside,
)
from biblicus_context.assembly.result.default_limits import default_limit_warnings
from biblicus_context.assembly.result.hints import hints
from biblicus_context.assembly.result.pack_account import Changes, FinishedPack, Left, pack_account
from biblicus_context.assembly.result.reason_fields import ReasonFields, fields, fields_of_change
from biblicus_context.assembly.result.receipt import (
    Action,
    Receipt,
    ReceiptPart,
    ReceiptStep,
    ReceiptTool,
    ReceiptTurns,
)
from biblicus_context.assembly.steps.parts import HistoryPart, PackPart, RetrieverSource, TextPart
from biblicus_context.assembly.steps.quotes import has_quoted
from biblicus_context.retrieval.requests.answer import MOST_ABOVE_LIMIT

T = TypeVar("T")


def write_receipt(draft: Draft) -> Receipt:
    """The receipt of a draft that has a placement."""
    assert draft.placement is not None
    limits = draft.limits
    parts = tuple(_parts(draft, draft.placement))
    placed = sum(part.given for part in parts)
    budget = limits.budget
    return Receipt(
        context=draft.context.name,
        now=draft.call.now,
        model=limits.model,
        counter=limits.counter.name,
        estimated=limits.counter.estimated or bool(draft.estimated),
        overflow=limits.overflow,
        budget=budget,
        pack_budget=limits.pack_total,
        window=limits.window,
        reserve=limits.reserve,
        tools=limits.tools,
        tool_definitions=tuple(
            ReceiptTool(name=name, tokens=tokens) for name, tokens in limits.each_tool
        ),
        used=draft.tokens,
        left=None if budget is None else max(0, budget - draft.tokens),
        over=0 if budget is None else max(0, draft.tokens - budget),
        framing=draft.framing,
        joins=draft.tokens - draft.framing - placed,
        same_prefix=draft.same.tokens if draft.same else None,
        previous_used=draft.same.of if draft.same else None,
        parts=parts,
        hints=hints(draft, parts),
        notes=(
            *_unknown_model(draft),
            *draft.notes,
            *_cut(draft),
            *rewrite_notes(draft),
            *_quotes(draft, draft.placement),
            *_unmet_minimums(parts),
            *_estimated(draft),
        ),
        warnings=tuple(dict.fromkeys((*_warnings(draft), *default_limit_warnings(draft)))),
        steps=tuple(
            ReceiptStep(name=name, seconds=seconds)
            for name, seconds in (*draft.seconds, *_combined_seconds(draft))
        ),
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


def _unknown_model(draft: Draft) -> Iterator[str]:
    limits = draft.limits
    if not limits.knows_model:
        how = f"{'estimated' if limits.counter.estimated else 'counted'} by '{limits.counter.name}'"
        yield f"the model '{limits.model}' is not in the table of models: tokens are {how}"


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
    used = sum(fitted.tokens for fitted in placement.packs.values())
    around = limits_of_context(draft, used)
    for index, part in enumerate(draft.parts):
        match part:
            case TextPart():
                yield _text(draft, part, written[index], texts[index])
            case PackPart():
                yield _pack(draft, index, _finished(draft, index, part, placement), around)
            case HistoryPart():
                yield _history(part, placement.history)
            case _:
                raise AssertionError("alternatives are chosen before this")


def _finished(draft: Draft, index: int, part: PackPart, placement: Placement) -> FinishedPack:
    """A pack with the share that it has in the end: what others leave may go beyond the first one."""
    gathered, fitted = draft.packs[index], placement.packs[index]
    if gathered.share is not None and draft.limits.overflow == "compact":
        gathered = gathered._replace(share=max(gathered.share, fitted.tokens))
    return FinishedPack(part, gathered, fitted, draft.limits.counter)


def _unplaced_part(draft: Draft) -> Callable[[Unplaced], ReceiptPart]:
    def written(entry: Unplaced) -> ReceiptPart:
        part, gathered = entry.part, entry.gathered
        if isinstance(part, PackPart) and gathered is not None:
            counter = draft.limits.counter
            pack = FinishedPack(part, gathered, nothing(gathered.fitted.row), counter)
            return pack_account(pack, entry.reason, part.claim.cap, _inner(pack, entry.reason))
        text = part.text if isinstance(part, TextPart) else ""
        return ReceiptPart(
            place=entry.place,
            kind=entry.kind,
            name=part.name if isinstance(part, PackPart) else "",
            share=entry.reason.figure if entry.reason.cause == "share" else None,
            asked=draft.limits.counter.count(text) if text else None,
            turns=_all_dropped(entry.messages, entry.reason),
            **fields("dropped" if text or entry.messages else "not asked", entry.reason),
        )

    return written


def _warnings(draft: Draft) -> Iterator[str]:
    for gathered in draft.packs.values():
        yield from gathered.warnings
        if gathered.nested is not None:
            yield from _warnings(gathered.nested)


def _combined_seconds(draft: Draft) -> Iterator[tuple[str, float]]:
    """What combined retrievers took of the step that gathers, by the name of the pack."""
    for at, gathered in draft.packs.items():
        part = draft.parts[at]
        if gathered.nested is not None:
            yield from _combined_seconds(gathered.nested)
        elif gathered.combined is not None and isinstance(part, PackPart):
            for name, seconds in gathered.combined.seconds._asdict().items():
                yield f"{part.name}: {name}", seconds


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


def _all_dropped(messages: int, reason: Reason | None) -> tuple[ReceiptTurns, ...]:
    if not messages:
        return ()
    return (ReceiptTurns(first=0, last=messages - 1, given=0, **fields("dropped", reason)),)


def _text(draft: Draft, part: TextPart, before: str, after: str) -> ReceiptPart:
    count = draft.limits.counter.count
    tokens = count(before)
    action: Action = "kept"
    reason = None if before else Reason("empty")
    if after != before:
        action = "shortened" if after else "dropped"
        reason = Reason("input_budget", draft.limits.budget, note="marked shrink: true")
    return ReceiptPart(
        place=part.place,
        kind=part.role,
        asked=tokens,
        given=tokens if after == before else count(after),
        priority=part.priority,
        **fields(action, reason),
    )


def _pack(
    draft: Draft, index: int, pack: FinishedPack, around: Bounds, copies: int = 1
) -> ReceiptPart:
    cap = cap_of(draft, index, pack.gathered, copies)
    bounds = around
    if not isinstance(around, Reason):
        bounds = (*limits_of_pack(cap, pack.gathered.share, pack.given), *around)
    return pack_account(pack, bounds, cap, _inner(pack, bounds))


def _inner(pack: FinishedPack, bounds: Bounds) -> tuple[ReceiptPart, ...]:
    """The parts of a nested context in all its copies, with what outer contexts did to them."""
    inner, copies = pack.gathered.nested, pack.fitted.row.copies
    if inner is None:
        return ()
    left = {piece.key: piece for piece in pack.placed.values()}
    packs = dict(_nested_packs(inner, pack.changes, left, copies))
    used = sum(each.given for each in packs.values())
    outer = seen_inside(bounds, pack.part.name)
    around = outer
    if not isinstance(outer, Reason):
        around = (*limits_of_context(inner, used, copies), *outer)
    texts = inner.texts(Placement({at: gathered.fitted for at, gathered in inner.packs.items()}))
    parts: list[ReceiptPart] = []
    for index, part in enumerate(inner.parts):
        if isinstance(part, TextPart):
            tokens = inner.limits.counter.count(texts[index]) * copies
            parts.append(_nested_text(part, tokens, pack.changes.get(part.place), outer))
        elif isinstance(part, PackPart):
            parts.append(_pack(inner, index, packs[index], around, copies))
    return (*parts, *map(_unplaced_part(inner), inner.unplaced))


def _nested_packs(
    inner: Draft, outer: Changes, left: Left, copies: int
) -> Iterator[tuple[int, FinishedPack]]:
    changed, pieces = _by_place(outer), _by_place(left)
    for index, part in enumerate(inner.parts):
        if isinstance(part, PackPart):
            gathered = inner.packs[index]
            share = None if gathered.share is None else gathered.share * copies
            fitted = copied(gathered.fitted, gathered.fitted.row.copies * copies)
            gathered = gathered._replace(share=share)
            yield (
                index,
                FinishedPack(
                    part,
                    gathered,
                    fitted,
                    inner.limits.counter,
                    changed[part.place],
                    pieces[part.place],
                ),
            )


def _by_place(entries: Mapping[str, T]) -> defaultdict[str, dict[str, T]]:
    """The entries by the place that their keys begin with, under the rest of their keys."""
    found: defaultdict[str, dict[str, T]] = defaultdict(dict)
    for key, entry in entries.items():
        place, _, rest = key.partition("/")
        if rest:
            found[place][rest] = entry
    return found


def _nested_text(
    part: TextPart, tokens: int, change: PieceChange | None, bounds: Bounds
) -> ReceiptPart:
    return ReceiptPart(
        place=part.place,
        kind=part.role,
        asked=tokens,
        given=tokens if change is None else change.tokens,
        **fields_of_change(change, bounds),
    )


def _history(part: HistoryPart, selection: SelectedTurns) -> ReceiptPart:
    turns = tuple(sorted(_turns(selection), key=lambda turn: turn.first))
    action: Action = "kept"
    reason = _why(selection)
    if reason is not None:
        action = "shortened" if selection.kept or selection.summary else "dropped"
    measured = selection.tokens + sum(turn.tokens for turn, _ in selection.dropped)
    return ReceiptPart(
        place=part.place,
        kind="history",
        asked=None if selection.older else measured,
        given=selection.all_tokens,
        turns=turns,
        **fields(action, reason),
    )


def _why(selection: SelectedTurns) -> Reason | None:
    """Why turns are dropped; None where none is."""
    if not selection.older and not selection.dropped:
        return None
    reason = selection.reason or selection.dropped[0][1]
    if not selection.summary:
        return reason
    return reason._replace(note=f"a summary of {selection.summary_tokens:,} tokens replaces them")


def _turns(selection: SelectedTurns) -> Iterator[ReceiptTurns]:
    yield from _all_dropped(selection.older, selection.reason)
    for turn, reason in selection.dropped:
        yield _turn(turn, 0, fields("dropped", reason))
    for turn in selection.turns():
        yield _turn(turn, turn.tokens, fields("kept"))


def _turn(turn: HistoryTurn, given: int, why: ReasonFields) -> ReceiptTurns:
    last = turn.end - 1
    return ReceiptTurns(first=turn.first, last=last, asked=turn.tokens, given=given, **why)
