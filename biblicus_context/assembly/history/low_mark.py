"""The low mark of a history: many turns go at once, then none for long, so that the prefix stays cached.

A history that loses its oldest turn with each call begins differently each time, and a provider's
cache never matches. Here it shrinks to a low mark when its room is full, and grows again from there.
It begins

- where the previous result began, while that fits; else at the first turn that leaves it at the mark;
- without a previous result, at a point of a grid over the whole conversation: one turn in every N
  tokens may be the first. The first of these that fits stays the first for many calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from biblicus_context.assembly.call import Message
from biblicus_context.assembly.history.selection import HELD, HistoryTurn, SelectedTurns
from biblicus_context.assembly.reasons import Reason
from biblicus_context.base.ratios import part_of
from biblicus_context.text.messages.meter import MessageMeter

DEFAULT_LOW_MARK = 0.75
"""Where the plan has none and a previous result is passed."""
ANCHORS = 1024
"""The grid begins again at every message of this number, so that the work does not grow with the
conversation: counting from its first message would measure all of them. It costs one change of the
beginning in this many messages."""


class LowMarkRule(NamedTuple):
    """How far a history shrinks when its room is full, and where it may begin."""

    room: int
    whole: int
    """What the history may have in every call."""
    step: int
    """How many tokens go at once."""
    keep_last: int = 0
    start_on: str | None = None

    @property
    def reason(self) -> Reason:
        """Why the turns before its beginning go."""
        return Reason("low_mark", self.whole)

    @property
    def mark(self) -> int:
        """How many tokens are left then."""
        return self.room - self.step

    def starts(self, history: Sequence[Message], turns: Sequence[HistoryTurn]) -> Iterator[int]:
        """The turns, by number, that the history may begin with."""
        for number, turn in enumerate(turns[: max(1, len(turns) - self.keep_last + 1)]):
            if self.start_on is None or history[turn.first]["role"] == self.start_on:
                yield number


def step_size(whole: int, low_mark: float, room: int) -> int:
    """How much goes at once: a part of the whole, as that is the same in each call.

    Never more than half of the room. The room differs with every question and its evidence: a step
    computed from it would move the grid, and so the beginning of the history, with each call. The
    whole is the same in each call, and reductions by an eighth absorb small differences of the room.
    """
    step = whole - part_of(whole, low_mark)
    while step > max(0, room) // 2:
        step -= step // 8 or 1
    return step


def from_previous_start(
    history: Sequence[Message], most: SelectedTurns, rule: LowMarkRule, start: int
) -> SelectedTurns | None:
    """The turns from where the previous result began, or from the mark; None: it cannot begin there."""
    turns = [*most.turns()]
    left = _left(turns)
    starts = [*rule.starts(history, turns)]
    at = next((number for number in starts if turns[number].first >= start), None)
    begins_there = at is not None and turns[at].first == start
    if at is None or (not begins_there and start > turns[0].first):
        return None
    if begins_there and left[at] >= rule.mark // 2:
        return _from(most, at, HELD)
    if not most.over_budget:
        return most
    at = next((number for number in starts if left[number] <= rule.mark), starts[-1])
    if (
        left[at] < rule.mark // 2
    ):  # A very long turn is at the mark: it stays, or the history would be nearly empty.
        at = max((number for number in starts if number < at), default=at)
    return _from(most, at, rule.reason)


def from_grid(
    history: Sequence[Message], most: SelectedTurns, rule: LowMarkRule, meter: MessageMeter
) -> SelectedTurns:
    """The turns from the first place of the grid that fits; all where nothing has to go."""
    if not most.over_budget:
        return most
    turns = [*most.turns()]
    left = _left(turns)
    anchor = turns[0].first // ANCHORS * ANCHORS
    before = sum(meter.measure_many(history[anchor : turns[0].first], place="history"))
    limit = -(-before // rule.step) * rule.step
    places = [before + passed for passed in _passed(turns, most)]
    fitting = (number for number in rule.starts(history, turns) if places[number] <= limit)
    at = max(fitting, default=0)
    return _from(most, at if left[at] >= rule.mark // 2 else 0, rule.reason)


def _left(turns: Sequence[HistoryTurn]) -> list[int]:
    """The tokens from each turn to the end."""
    return [*accumulate(turn.tokens for turn in reversed(turns))][::-1]


def _passed(turns: Sequence[HistoryTurn], most: SelectedTurns) -> Iterator[int]:
    """The tokens before each turn, from the first; turns that go for other reasons count."""
    between = {turn for turn, _ in most.dropped if turn.first > turns[0].first}
    passed = 0
    for turn in sorted([*turns, *between]):
        if turn not in between:
            yield passed
        passed += turn.tokens


def _from(most: SelectedTurns, at: int, reason: Reason) -> SelectedTurns:
    """The turns from this one on; those before it go together."""
    if not at:
        return most
    kept = most.without_oldest(at)
    first = kept.kept[0].firsts[0]
    dropped = tuple(entry for entry in most.dropped if entry[0].first > first)
    return kept._replace(older=first, dropped=dropped, reason=reason)
