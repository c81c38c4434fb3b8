"""The history: which messages of the conversation are left, and what they say."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.assembly.result.receipt import ReceiptTurns
from biblicus_context.golden.checks.call_result import CallResult, Mismatch, text_of
from biblicus_context.golden.checks.texts import text_problems
from biblicus_context.spec.expectation import Action, Expectation

_PATH = ("history",)


def check_history(expect: Expectation, seen: CallResult) -> Iterator[Mismatch]:
    """Messages by their numbers in the history that was passed, and their texts."""
    wanted = expect.history
    if wanted is None:
        return
    yield from text_problems(wanted, text_of(seen.result.history), _PATH)
    turns = [turn for _, part in seen.parts for turn in part.turns if part.kind == "history"]
    yield from _action_problems("kept", wanted.kept, turns, seen.history)
    yield from _action_problems("dropped", wanted.dropped, turns, seen.history)


def _action_problems(
    action: Action, numbers: tuple[int, ...] | None, turns: list[ReceiptTurns], count: int
) -> Iterator[Mismatch]:
    for at, number in enumerate(numbers or ()):
        path = (*_PATH, action, at)
        message = number + count if number < 0 else number
        turn = next((turn for turn in turns if turn.first <= message <= turn.last), None)
        if turn is None:
            found = f"{count} messages, 0 to {count - 1}" if count else "no messages"
            yield Mismatch(path, "the history has no such message", str(number), found)
        elif turn.action != action:
            reason = f": {turn.reason}" if turn.reason else ""
            expected = f"message {message} is {action}"
            yield Mismatch(path, "something else became of it", expected, f"{turn.action}{reason}")
