"""Turns that go many at once, then none for long: what a provider's cache holds stays of use.

A history that loses its oldest turn with each call begins differently each time. Here it goes down
to a low mark when its room is full, and grows again from there. Where it begins is

- where the previous result began, while that fits; else the first turn that leaves it at the mark;
- without a previous result, a turn on a grid laid over the whole conversation: every so many tokens
  a turn where the history may begin. The first of them that fits stays the first for many calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from biblicus_context.assembly.call import Message
from biblicus_context.assembly.history.selection import HELD, LOW_MARK, HistoryTurn, SelectedTurns
from biblicus_context.base.ratios import part_of
from biblicus_context.text.messages.meter import MessageMeter

DEFAULT_LOW_MARK = 0.75
"""Of a plan that says none, where a previous result is handed in."""


class LowMarkRule(NamedTuple):
    """How a history is held."""

    room: int
    step: int
    """So many tokens go at once."""
    keep_last: int = 0
    start_on: str | None = None

    @property
    def mark(self) -> int:
        """Down to so many tokens."""
        return self.room - self.step

    def starts(self, history: Sequence[Message], turns: Sequence[HistoryTurn]) -> Iterator[int]:
        """The turns, by number, that the history may begin with."""
        for number, turn in enumerate(turns[: max(1, len(turns) - self.keep_last + 1)]):
            if self.start_on is None or history[turn.first]["role"] == self.start_on:
                yield number


def step_size(whole: int, low_mark: float, room: int) -> int:
    """How much goes at once: a part of the whole, as that is the same in each call.

    Never more than half of the room; steps of an eighth keep this from changing with each question.
    """
    step = whole - part_of(whole, low_mark)
    while step > max(0, room) // 2:
        step -= step // 8 or 1
    return step


def from_previous_start(
    history: Sequence[Message], most: SelectedTurns, steady: LowMarkRule, start: int
) -> SelectedTurns | None:
    """The turns from where the previous result began, or from the mark; None: it cannot begin there."""
    turns = [*most.turns()]
    left = _left(turns)
    starts = [*steady.starts(history, turns)]
    at = next((number for number in starts if turns[number].first >= start), None)
    begins_there = at is not None and turns[at].first == start
    if at is None or (not begins_there and start > turns[0].first):
        return None
    if begins_there and left[at] >= steady.mark // 2:
        return _from(most, at, HELD)
    if not most.over_budget:
        return most
    at = next((number for number in starts if left[number] <= steady.mark), starts[-1])
    if left[at] < steady.mark // 2:  # a very long turn stands at the mark: it stays
        at = max((number for number in starts if number < at), default=at)
    return _from(most, at, LOW_MARK)


def from_grid(
    history: Sequence[Message], most: SelectedTurns, steady: LowMarkRule, meter: MessageMeter
) -> SelectedTurns:
    """The turns from the first place of the grid that fits; all where nothing has to go."""
    if not most.over_budget:
        return most
    turns = [*most.turns()]
    left = _left(turns)
    before = sum(meter.measure_many(history[: turns[0].first], place="history"))
    limit = -(-before // steady.step) * steady.step
    places = [before + passed for passed in _passed(turns, most)]
    fitting = (number for number in steady.starts(history, turns) if places[number] <= limit)
    at = max(fitting, default=0)
    return _from(most, at if left[at] >= steady.mark // 2 else 0, LOW_MARK)


def _left(turns: Sequence[HistoryTurn]) -> list[int]:
    """The tokens from each turn to the end."""
    return [*accumulate(turn.tokens for turn in reversed(turns))][::-1]


def _passed(turns: Sequence[HistoryTurn], most: SelectedTurns) -> Iterator[int]:
    """The tokens in front of each turn, from the first; those count that go for other reasons."""
    between = {turn for turn, _ in most.dropped if turn.first > turns[0].first}
    passed = 0
    for turn in sorted([*turns, *between]):
        if turn not in between:
            yield passed
        passed += turn.tokens


def _from(most: SelectedTurns, at: int, reason: str) -> SelectedTurns:
    """The turns from this one on; those in front of it go together."""
    if not at:
        return most
    kept = most.without_oldest(at)
    first = kept.kept[0].firsts[0]
    dropped = tuple(entry for entry in most.dropped if entry[0].first > first)
    return kept._replace(older=first, dropped=dropped, reason=reason)
