"""History: which turns fit, found newest first, so that work grows with the budget.

A turn is one message, or an assistant message with tool calls together with all their results.
Messages are typed and measured in growing bites from the end; what lies before the last bite is
never looked at.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import itemgetter
from typing import Any, NamedTuple

from biblicus_context.assembly.call import Message
from biblicus_context.errors import InputError
from biblicus_context.text.messages import MessageMeter, is_plain

NO_ROOM = "the budget is full"
_FIRST_BITE = 48
_ANSWERING_ROLES = frozenset({"tool", "function"})
_ROLE_OF = itemgetter("role")


class Turn(NamedTuple):
    """Messages `first` up to, not including, `end` of the history that was handed in."""

    first: int
    end: int
    tokens: int
    fault: str = ""
    """Why it can never be sent: a call without its result, or a result without its call."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What a plan asks of its history, in numbers."""

    room: int | None = None
    keep_last: int = 0
    max_turns: int | None = None
    start_on: str | None = None


@dataclass(frozen=True, slots=True)
class Selection:
    """The turns that stay, oldest first, and those that were measured and have to go."""

    kept: tuple[Turn, ...] = ()
    dropped: tuple[tuple[Turn, str], ...] = ()
    """Measured turns that go, with the reason, oldest first."""
    unread: int = 0
    """Older messages that nobody had to look at."""
    unread_reason: str = ""
    tokens: int = 0
    summary: str = ""
    summary_tokens: int = 0

    over_budget: bool = False
    """Whether turns go because there is no room for them."""

    @property
    def all_tokens(self) -> int:
        """Tokens of the kept turns and of the summary that stands for the others."""
        return self.tokens + self.summary_tokens

    @property
    def first_kept(self) -> int | None:
        """The number of the first message that stays."""
        return self.kept[0].first if self.kept else None


def select(history: Sequence[Message], wish: Wish, meter: MessageMeter) -> Selection:
    """The newest turns that fit, without a gap, and at least those the plan keeps."""
    kept: list[Turn] = []
    dropped: list[tuple[Turn, str]] = []
    used = 0
    reason = ""
    unread = len(history)
    for turn in newest_turns(history, meter, wish.room):
        if turn.fault:
            dropped.append((turn, turn.fault))
        elif (
            len(kept) >= wish.keep_last
            and wish.max_turns is not None
            and len(kept) >= wish.max_turns
        ):
            reason = f"max_turns is {wish.max_turns}"
            break
        elif (
            len(kept) >= wish.keep_last and wish.room is not None and used + turn.tokens > wish.room
        ):
            reason = NO_ROOM
            dropped.append((turn, reason))
            unread = turn.first
            break
        else:
            kept.append(turn)
            used += turn.tokens
        unread = turn.first
    early = _before_start(history, kept, wish)
    for turn in reversed(kept[len(kept) - early :]):
        used -= turn.tokens
    dropped.extend(
        (turn, f"the history starts on: {wish.start_on}") for turn in kept[len(kept) - early :]
    )
    kept = kept[: len(kept) - early]
    dropped.sort(key=lambda entry: entry[0].first)
    return Selection(
        kept=tuple(reversed(kept)),
        dropped=tuple(dropped),
        unread=unread,
        unread_reason=reason,
        tokens=used,
        over_budget=reason == NO_ROOM,
    )


def _before_start(history: Sequence[Message], newest_first: list[Turn], wish: Wish) -> int:
    """How many of the oldest kept turns come before the role that the history has to start on."""
    if wish.start_on is None:
        return 0
    early = 0
    for turn in reversed(newest_first[wish.keep_last :]):
        if history[turn.first]["role"] == wish.start_on:
            break
        early += 1
    return early


def newest_turns(
    history: Sequence[Message], meter: MessageMeter, room: int | None
) -> Iterator[Turn]:
    """The turns of a history, newest first, measured a bite at a time."""
    end = len(history)
    size = _FIRST_BITE if room is not None else end
    measured = 0
    while end > 0:
        start = _start_of_turn(history, max(0, end - size))
        bite = history[start:end]
        tokens = _measure(bite, start, meter)
        yield from reversed(_turns(bite, start, tokens))
        if room is not None:
            measured += sum(tokens)
            size = _next_bite(len(history) - start, measured, room)
        end = start


def _next_bite(messages: int, tokens: int, room: int) -> int:
    """As many messages as should fill the rest, going by those seen so far."""
    return max(_FIRST_BITE, (room - tokens) * messages // max(1, tokens) * 21 // 20 + 8)


def _measure(bite: Sequence[Message], start: int, meter: MessageMeter) -> list[int]:
    try:
        return meter.measure_many(bite)
    except InputError:
        for number, message in enumerate(bite, start):
            meter.measure(message, place=f"history[{number}]")
        raise


def _start_of_turn(history: Sequence[Message], start: int) -> int:
    """Step back over tool results, so that a bite never begins inside a turn."""
    while start > 0 and _answers(history[start]):
        start -= 1
    return start


def _turns(bite: Sequence[Message], start: int, tokens: list[int]) -> list[Turn]:
    if is_plain(bite) and _ANSWERING_ROLES.isdisjoint(map(_ROLE_OF, bite)):
        return [Turn(number, number + 1, count) for number, count in enumerate(tokens, start)]
    turns: list[Turn] = []
    sums = [0, *accumulate(tokens)]
    at = 0
    while at < len(bite):
        end = at + 1
        while end < len(bite) and _answers(bite[end]):
            end += 1
        turns.extend(_sound_turns(bite, start, sums, at, end))
        at = end
    return turns


def _sound_turns(
    bite: Sequence[Message], start: int, sums: list[int], at: int, end: int
) -> Iterator[Turn]:
    """A message with the results that follow it: one turn, when calls and results pair up."""

    def turn(first: int, last: int, fault: str = "") -> Turn:
        return Turn(start + first, start + last, sums[last] - sums[first], fault)

    calls = set(_calls(bite[at]))
    if not calls:
        first_is_result = _answers(bite[at])
        if not first_is_result:
            yield turn(at, at + 1)
        for orphan in range(at if first_is_result else at + 1, end):
            yield turn(orphan, orphan + 1, "a tool result without its call")
        return
    answered = {answer for message in bite[at + 1 : end] for answer in _answered(message)}
    if answered == calls:
        yield turn(at, end)
    elif calls - answered:
        yield turn(at, end, "a tool call without its result")
    else:
        yield from _without_strays(bite, calls, at, end, turn)


def _without_strays(
    bite: Sequence[Message], calls: set[str], at: int, end: int, turn: Any
) -> Iterator[Turn]:
    """Results that nobody asked for end the turn; those that answer its calls come before them."""
    last = end
    while last > at + 1 and not set(_answered(bite[last - 1])) <= calls:
        last -= 1
    sound = all(set(_answered(message)) <= calls for message in bite[at + 1 : last])
    complete = calls <= {answer for message in bite[at + 1 : last] for answer in _answered(message)}
    yield turn(at, last, "" if sound and complete else "its tool results do not match its calls")
    for stray in range(last, end):
        yield turn(stray, stray + 1, "a tool result without its call")


def _answers(message: Any) -> bool:
    """Whether a message holds tool results."""
    if not isinstance(message, Mapping):
        return False
    return message.get("role") in _ANSWERING_ROLES or bool(_result_parts(message))


def _calls(message: Message) -> Iterator[str]:
    for call in message.get("tool_calls") or ():
        yield str(call.get("id") if isinstance(call, Mapping) else call)
    function = message.get("function_call")
    if isinstance(function, Mapping):
        yield f"function:{function.get('name')}"
    for part in _parts(message):
        if part.get("type") == "tool_use":
            yield str(part.get("id"))


def _answered(message: Message) -> Iterator[str]:
    match message.get("role"):
        case "tool":
            yield str(message.get("tool_call_id"))
        case "function":
            yield f"function:{message.get('name')}"
    for part in _result_parts(message):
        yield str(part.get("tool_use_id"))


def _result_parts(message: Message) -> list[Mapping[str, Any]]:
    return [part for part in _parts(message) if part.get("type") == "tool_result"]


def _parts(message: Message) -> Iterable[Mapping[str, Any]]:
    content = message.get("content")
    if not isinstance(content, list | tuple):
        return ()
    return (part for part in content if isinstance(part, Mapping))


def copies(history: Sequence[Message], turns: Iterable[Turn]) -> list[dict[str, Any]]:
    """The messages of these turns, sharing nothing with what the caller handed in."""
    messages: list[dict[str, Any]] = []
    for first, end in _runs(turns):
        run = history[first:end]
        messages.extend(map(dict, run) if is_plain(run) else map(copy.deepcopy, map(dict, run)))
    return messages


def _runs(turns: Iterable[Turn]) -> Iterator[tuple[int, int]]:
    """Turns that follow each other, as one stretch of messages."""
    first = end = -1
    for turn in turns:
        if turn.first != end:
            if end > first:
                yield first, end
            first = turn.first
        end = turn.end
    if end > first:
        yield first, end
