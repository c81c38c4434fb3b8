"""History: which turns fit, found newest first, so that work grows with the budget.

A turn is one message, or an assistant message with tool calls together with all their results.
Messages are typed and measured in growing bites from the end; what lies before the last bite is
never looked at.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain
from math import isqrt
from operator import itemgetter
from typing import Any, Final, NamedTuple, cast

from biblicus_context.assembly.call import Message
from biblicus_context.assembly.history.contents import refuse_without_content
from biblicus_context.assembly.reasons import Cause, Reason
from biblicus_context.errors import InputError
from biblicus_context.text.messages.calls import (
    ANSWERING_ROLES,
    calls_in,
    has_results,
    results_in,
)
from biblicus_context.text.messages.meter import MessageMeter
from biblicus_context.text.messages.plain import SPEAKING_ROLES

HELD: Final = Reason("previous")
_NO_ROOM: Final = frozenset[Cause]({"input_budget", "cap", "low_mark", "previous"})
_FIRST_BITE = 48
_SMALLEST_BITE = 16
_LONG_WAY = 128
ROLES = SPEAKING_ROLES | ANSWERING_ROLES
_ROLE_OF = itemgetter("role")


class HistoryTurn(NamedTuple):
    """Messages `first` up to, not including, `end` of the history that was passed."""

    first: int
    end: int
    tokens: int
    fault: str = ""
    """Why it can never be sent: a call without its result, or a result without its call."""


class TurnRun(NamedTuple):
    """Sound turns in a row, oldest first; in columns, since there can be very many."""

    firsts: Sequence[int]
    ends: Sequence[int]
    tokens: Sequence[int]
    total: int
    plain: bool
    """Whether every message is a dictionary of a role and a text, and nothing else."""

    @property
    def size(self) -> int:
        """How many turns."""
        return len(self.tokens)

    def turns(self) -> Iterator[HistoryTurn]:
        """The turns one by one."""
        return map(HistoryTurn, self.firsts, self.ends, self.tokens)

    def without_oldest(self, count: int) -> TurnRun:
        """The stretch without its first turns."""
        if not count:
            return self
        return self._replace(
            firsts=self.firsts[count:],
            ends=self.ends[count:],
            tokens=self.tokens[count:],
            total=self.total - sum(self.tokens[:count]),
        )

    def fitting(self, room: int) -> int:
        """How many of the newest turns fit in `room` tokens."""
        over = self.total - room
        if over <= 0:
            return self.size
        oldest_first = enumerate(accumulate(self.tokens), 1)
        return self.size - next(
            (count for count, freed in oldest_first if freed >= over), self.size
        )


class HistoryLimits(NamedTuple):
    """The limits of a history, in numbers."""

    room: int | None = None
    full: Reason = Reason("input_budget")
    """Why turns go that have no room."""
    keep_last: int = 0
    max_turns: int | None = None
    start_on: str | None = None

    def of(self, stretch: TurnRun, taken: int, used: int) -> tuple[int, Reason | None]:
        """How many of a run's newest turns stay in addition to those taken, and why not all do."""
        size = stretch.size
        must = min(size, max(0, self.keep_last - taken))
        may = size if self.max_turns is None else min(size, max(must, self.max_turns - taken))
        fitting = size if self.room is None else stretch.fitting(self.room - used)
        count = max(must, min(fitting, may))
        if count == size:
            return count, None
        return count, self.full if fitting < may else Reason("max_turns", self.max_turns)


class SelectedTurns(NamedTuple):
    """The turns that stay, oldest first, and those that have to go."""

    kept: tuple[TurnRun, ...] = ()
    dropped: tuple[tuple[HistoryTurn, Reason], ...] = ()
    """Turns that go for reasons of their own, oldest first."""
    older: int = 0
    """The number of messages at the beginning that go together."""
    reason: Reason | None = None
    """Why they go."""
    tokens: int = 0
    summary: str = ""
    summary_tokens: int = 0

    @property
    def over_budget(self) -> bool:
        """Whether turns are dropped because they do not fit, now or since an earlier call."""
        return self.reason is not None and self.reason.cause in _NO_ROOM

    @property
    def all_tokens(self) -> int:
        """Tokens of the kept turns and of the summary of the others."""
        return self.tokens + self.summary_tokens

    @property
    def first_kept(self) -> int | None:
        """The number of the first message that stays."""
        return self.kept[0].firsts[0] if self.kept else None

    def turns(self) -> Iterator[HistoryTurn]:
        """The turns that stay, one by one."""
        return chain.from_iterable(stretch.turns() for stretch in self.kept)

    def without_oldest(self, count: int) -> SelectedTurns:
        """The selection without the first turns of those that stay."""
        kept: list[TurnRun] = []
        for stretch in self.kept:
            if stretch.size > count:
                kept.append(stretch.without_oldest(count))
            count = max(0, count - stretch.size)
        return self._replace(kept=tuple(kept), tokens=sum(stretch.total for stretch in kept))


NO_HISTORY = SelectedTurns()


def select(history: Sequence[Message], wish: HistoryLimits, meter: MessageMeter) -> SelectedTurns:
    """The newest turns that fit, without a gap, and at least those the plan keeps."""
    kept: list[TurnRun] = []
    broken: list[HistoryTurn] = []
    used = taken = older = 0
    reason: Reason | None = None
    # Newest first, and no further than the first turn that does not fit: an older, shorter turn
    # might still fit, but a conversation with a hole in it misleads the model.
    for stretch, faulty in _newest_first(history, meter, wish.room):
        broken += faulty
        count, reason = wish.of(stretch, taken, used)
        going = stretch.size - count
        if count:
            kept.insert(0, stretch.without_oldest(going))
            used += kept[0].total
            taken += count
        if reason:
            older = stretch.ends[going - 1]
            break
    listed = [
        (turn, Reason("unsendable", detail=turn.fault))
        for turn in sorted(broken)
        if turn.first >= older
    ]
    selection = SelectedTurns(tuple(kept), tuple(listed), older, reason, used)
    return _started(history, selection, wish, most=taken - wish.keep_last)


def _started(
    history: Sequence[Message], selection: SelectedTurns, wish: HistoryLimits, most: int
) -> SelectedTurns:
    """The selection without turns from before the role that the history has to start on."""
    if wish.start_on is None:
        return selection
    early: list[HistoryTurn] = []
    for turn in selection.turns():
        if len(early) >= most or history[turn.first]["role"] == wish.start_on:
            break
        early.append(turn)
    reasons = [(turn, Reason("start_on", detail=wish.start_on)) for turn in early]
    return selection.without_oldest(len(early))._replace(
        dropped=tuple(sorted([*selection.dropped, *reasons]))
    )


def _newest_first(
    history: Sequence[Message], meter: MessageMeter, room: int | None
) -> Iterator[tuple[TurnRun, list[HistoryTurn]]]:
    """The history a bite at a time: sound turns, and broken ones."""
    end = len(history)
    size = end if room is None else _FIRST_BITE
    measured = 0
    while end > 0:
        start = _start_of_turn(history, max(0, end - size))
        bite = history[start:end]
        stretch, broken = _measured(bite, start, meter)
        yield stretch, broken
        if start and room is not None:
            measured += stretch.total + sum(turn.tokens for turn in broken)
            size = _next_bite(len(history) - start, measured, room)
        end = start


def _next_bite(messages: int, tokens: int, room: int) -> int:
    """About as many messages as should fill the rest, judged by those seen so far.

    A large bite stops a little short: messages beyond the budget would be measured for nothing.
    """
    wanted = (room - tokens) * messages // max(1, tokens)
    if wanted > _LONG_WAY:
        return wanted - 2 * isqrt(wanted)
    return max(_SMALLEST_BITE, wanted + 4)


def _start_of_turn(history: Sequence[Message], start: int) -> int:
    """Step back over tool results, so that a bite never begins inside a turn."""
    while start > 0 and has_results(history[start]):
        start -= 1
    return start


def _measured(
    bite: Sequence[Message], start: int, meter: MessageMeter
) -> tuple[TurnRun, list[HistoryTurn]]:
    """The sound turns of a bite, and the broken ones."""
    plain = meter.measure_plain(bite)
    if plain is not None:
        firsts = range(start, start + len(bite))
        ends = range(start + 1, start + len(bite) + 1)
        return TurnRun(firsts, ends, plain, sum(plain), plain=True), []
    _refuse_unknown_roles(bite, start)
    refuse_without_content(bite, start)
    tokens = _measure(bite, start, meter)
    turns = _turns(bite, start, tokens)
    sound = [turn for turn in turns if not turn.fault]
    stretch = TurnRun(
        firsts=[turn.first for turn in sound],
        ends=[turn.end for turn in sound],
        tokens=[turn.tokens for turn in sound],
        total=sum(turn.tokens for turn in sound),
        plain=False,
    )
    return stretch, [turn for turn in turns if turn.fault]


def _refuse_unknown_roles(bite: Sequence[Message], start: int) -> None:
    try:
        known = ROLES.issuperset(map(_ROLE_OF, bite))
    except (KeyError, TypeError):  # said better where the message is measured
        return
    if known:
        return
    for number, message in enumerate(bite, start):
        if message["role"] not in ROLES:
            place = f"history[{number}].role"
            raise InputError(
                "unknown role", place=place, found=message["role"], valid=sorted(ROLES)
            )


def _measure(bite: Sequence[Message], start: int, meter: MessageMeter) -> list[int]:
    try:
        return meter.measure_many(bite)
    except InputError:
        for number, message in enumerate(bite, start):
            meter.measure(message, place=f"history[{number}]")
        raise


def _turns(bite: Sequence[Message], start: int, tokens: list[int]) -> list[HistoryTurn]:
    turns: list[HistoryTurn] = []
    sums = [0, *accumulate(tokens)]
    at = 0
    while at < len(bite):
        end = at + 1
        while end < len(bite) and has_results(bite[end]):
            end += 1
        turns.extend(_paired(bite, start, sums, at, end))
        at = end
    return turns


def _paired(
    bite: Sequence[Message], start: int, sums: list[int], at: int, end: int
) -> Iterator[HistoryTurn]:
    """A message with the results that follow it: one turn, when calls and results pair up."""

    def turn(first: int, last: int, fault: str = "") -> HistoryTurn:
        return HistoryTurn(start + first, start + last, sums[last] - sums[first], fault)

    calls = calls_in(bite[at])
    if not calls:
        first_is_result = has_results(bite[at])
        if not first_is_result:
            yield turn(at, at + 1)
        for orphan in range(at if first_is_result else at + 1, end):
            yield turn(orphan, orphan + 1, "a tool result without its call")
        return
    last = _end_of_answers(bite, calls, at, end)
    fault = _fault(bite, calls, at, last)
    yield turn(at, last, fault)
    for stray in range(last, end):
        yield turn(stray, stray + 1, "a tool result without its call")


def _end_of_answers(bite: Sequence[Message], calls: Counter[str], at: int, end: int) -> int:
    """Where the results end that answer these calls, each once."""
    waiting = calls.copy()
    for number in range(at + 1, end):
        answers = results_in(bite[number])
        if not answers <= waiting:
            return number
        waiting -= answers
    return end


def _fault(bite: Sequence[Message], calls: Counter[str], at: int, end: int) -> str:
    """Why a message and the results after it cannot be sent; empty where they can."""
    if has_results(bite[at]) or any(calls_in(bite[number]) for number in range(at + 1, end)):
        return "tool calls and tool results in one message"
    answered: Counter[str] = Counter()
    for number in range(at + 1, end):
        answered += results_in(bite[number])
    return "" if answered == calls else "a tool call without its result"


def copies(history: Sequence[Message], kept: Iterable[TurnRun]) -> list[dict[str, Any]]:
    """Copies of the messages of these turns: nothing is shared with the caller."""
    messages: list[dict[str, Any]] = []
    for stretch in kept:
        if stretch.plain:
            plain = cast("Sequence[dict[str, Any]]", history)
            messages += map(dict.copy, plain[stretch.firsts[0] : stretch.ends[-1]])
            continue
        for turn in stretch.turns():
            messages += (_copied(history[at], at) for at in range(turn.first, turn.end))
    return messages


def _copied(message: Message, at: int) -> dict[str, Any]:
    try:
        return copy.deepcopy(dict(message))
    except TypeError as error:  # a lock, a memoryview: it is not JSON either
        raise InputError(f"cannot be copied ({error})", place=f"history[{at}]") from None
