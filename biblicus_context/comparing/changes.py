"""What changed between two assemblies: texts, tokens of the parts, and the common beginning."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher, unified_diff
from typing import Any, TypeAlias

from biblicus_context.assembly.result.saved import SavedResult
from biblicus_context.comparing.prefix import SharedPrefix, shared_prefix
from biblicus_context.comparing.rows import ComparedPart, compared_parts
from biblicus_context.errors import UnknownNameError
from biblicus_context.pages.bars import bars_of
from biblicus_context.pages.wording import message_text
from biblicus_context.text.counters import Counter, Counters
from biblicus_context.text.messages.meter import MessageMeter
from biblicus_context.text.models.table import ModelTable

_Message: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class MessageChange:
    """One message that is not the same; on one side there may be none."""

    before: int | None
    """Its number, from 0."""
    after: int | None
    role: str
    lines: tuple[str, ...]
    """What changed, as `diff -u` writes it, without the names of files."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Everything that changed."""

    messages: tuple[MessageChange, ...]
    parts: tuple[ComparedPart, ...]
    """Before and after; a part is the same where its name is."""
    prefix: SharedPrefix
    counter: str
    """What the prefix is counted with."""


def difference(before: SavedResult, after: SavedResult) -> Difference:
    """What changed from one assembly to the other."""
    counter, meter = _measures(after)
    return Difference(
        messages=tuple(_messages(before.messages, after.messages)),
        parts=tuple(
            compared_parts([bars_of(before.receipt), bars_of(after.receipt)], lambda bar: bar.label)
        ),
        prefix=shared_prefix(before.messages, after.messages, meter),
        counter=counter.name,
    )


def _measures(saved: SavedResult) -> tuple[Counter, MessageMeter]:
    """The counter and the meter of a result; a counter that only its program has is replaced."""
    counters, receipt = Counters(), saved.receipt
    try:
        counter = counters.get(receipt.model or receipt.counter)
    except UnknownNameError:
        counter = counters.get("o200k_base")
    models = ModelTable.shipped()
    try:
        model = models.find(receipt.model) if receipt.model else None
    except UnknownNameError:
        model = None
    framing = saved.framing or (model.framing if model else None)
    return counter, MessageMeter(counter, framing, model.images if model else None)


def _messages(before: Sequence[_Message], after: Sequence[_Message]) -> Iterator[MessageChange]:
    """Changed messages side by side where they have the same role, the others alone."""
    one, other = ([(_role(each), message_text(each)) for each in side] for side in (before, after))
    for kind, start, end, from_, to in SequenceMatcher(None, one, other).get_opcodes():
        if kind == "equal":
            continue
        gone, come = map(_role, before[start:end]), map(_role, after[from_:to])
        for at, there in _aligned(list(gone), list(come)):
            yield _change(
                before,
                after,
                None if at is None else start + at,
                None if there is None else from_ + there,
            )


def _change(
    before: Sequence[_Message], after: Sequence[_Message], at: int | None, there: int | None
) -> MessageChange:
    one = None if at is None else before[at]
    other = None if there is None else after[there]
    texts = [message_text(each).split("\n") if each else [] for each in (one, other)]
    _, _, *lines = unified_diff(texts[0], texts[1], lineterm="")
    return MessageChange(at, there, _role(other or one or {}), tuple(lines))


def _role(message: _Message) -> str:
    return str(message.get("role"))


def _aligned(
    one: Sequence[Hashable], other: Sequence[Hashable]
) -> Iterator[tuple[int | None, int | None]]:
    """Places of the same keys in pairs, and of those that only one side has alone."""
    for kind, start, end, from_, to in SequenceMatcher(None, one, other).get_opcodes():
        if kind == "equal":
            yield from zip(range(start, end), range(from_, to), strict=True)
        else:
            yield from ((at, None) for at in range(start, end))
            yield from ((None, at) for at in range(from_, to))
