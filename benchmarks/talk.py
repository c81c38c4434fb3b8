"""A long conversation with tools, one request after the other, and how much of each is sent again."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from random import Random
from typing import TYPE_CHECKING

from benchmarks.counting import tokens_sent
from benchmarks.messages import Message, ToolCall
from benchmarks.texts import Writer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

BUDGET = 8_000
TURNS = 200
SEED = 2026

Trim = Callable[[list[Message]], list[Message]] if TYPE_CHECKING else object
"""Makes of everything there is to say what is sent: the first and the last message always."""


@dataclass(frozen=True, slots=True)
class Reuse:
    """What became of a conversation under one setting."""

    setting: float
    kept: float
    """Tokens sent with a request, on average."""
    share: float
    """Of all tokens sent, those that begin a request as they began the one before."""
    most: int
    """Tokens of the largest request."""

    as_dict = asdict


def requests(turns: int = TURNS, seed: int = SEED) -> Iterator[list[Message]]:
    """What each call of a model is about: a question asks for one, and so do the results of tools."""
    dice, writer = Random(f"{seed} talk"), Writer((seed, "talk"))
    said = [Message("system", writer.text(500))]
    for turn in range(turns):
        said.append(Message("user", writer.text(dice.randint(15, 120))))
        yield said
        for round_ in range(dice.choice((0, 0, 1, 1, 2))):
            said += _tools(dice, writer, f"call_{turn}_{round_}")
            yield said
        said.append(Message("assistant", writer.text(dice.randint(30, 250))))


def reuse(setting: float, trim: Trim, turns: int = TURNS, seed: int = SEED) -> Reuse:
    """Every request of the conversation, trimmed, next to the one before."""
    sizes: list[int] = []
    again: list[int] = []
    before: list[Message] = []
    prices: dict[int, int] = {}
    for said in requests(turns, seed):
        sent = _sendable(trim(said))
        paid = [_price(message, prices) for message in sent]
        sizes.append(sum(paid))
        again.append(sum(paid[: _same(before, sent)]))
        before = sent
    return Reuse(setting, sum(sizes) / len(sizes), sum(again) / sum(sizes), max(sizes))


def _tools(dice: Random, writer: Writer, name: str) -> list[Message]:
    """One to three calls at once, and their results."""
    calls = tuple(
        ToolCall(f"{name}_{at}", "look_up", f'{{"query": "{writer.text(8)}"}}')
        for at in range(dice.randint(1, 3))
    )
    results = [Message("tool", writer.text(dice.randint(20, 350)), (), call.id) for call in calls]
    return [Message("assistant", None, calls), *results]


def _sendable(messages: list[Message]) -> list[Message]:
    """Without results whose calls were cut off: an API would refuse them."""
    called = {call.id for message in messages for call in message.calls}
    return [each for each in messages if each.answers is None or each.answers in called]


def _price(message: Message, known: dict[int, int]) -> int:
    if id(message) not in known:
        known[id(message)] = tokens_sent([message])
    return known[id(message)]


def _same(before: Sequence[Message], sent: Sequence[Message]) -> int:
    pairs = zip(before, sent, strict=False)
    return next((at for at, (one, other) in enumerate(pairs) if one is not other), len(before))
