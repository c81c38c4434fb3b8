"""The workloads, generated: the same work for the same round, fresh texts for every round."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import accumulate, takewhile
from typing import TYPE_CHECKING

from benchmarks.counting import count, tokens_sent
from benchmarks.messages import Message, ToolCall
from benchmarks.texts import Writer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

SEED = 2026
BETWEEN_BLOCKS = "\n\n"


@dataclass(frozen=True, slots=True)
class Work:
    """One call to assemble: what there is to say, and the tokens it has to fit in."""

    budget: int
    system: str
    question: str
    history: tuple[Message, ...]
    blocks: tuple[str, ...] = ()
    page_size: int = 10

    def evidence(self) -> str:
        """The blocks that fit half the budget, as text, for a library that cannot page."""
        running = accumulate(count(block + BETWEEN_BLOCKS) for block in self.blocks)
        fitting = sum(1 for _ in takewhile(lambda total: total <= self.budget // 2, running))
        return BETWEEN_BLOCKS.join(self.blocks[:fitting])

    def instructions(self) -> str:
        """System text and evidence in one, as a library without packs has to send them."""
        return BETWEEN_BLOCKS.join(part for part in (self.system, self.evidence()) if part)

    def offered(self) -> int:
        """The tokens of all there is to send."""
        said = (Message("system", self.system), *self.history, Message("user", self.question))
        return tokens_sent(said) + sum(map(count, self.blocks))

    def with_another_turn(self, answer: str, question: str) -> Work:
        """The same conversation one turn later."""
        said = (Message("user", self.question), Message("assistant", answer))
        return replace(self, history=self.history + said, question=question)


def small(round_: int) -> list[Work]:
    """Everything fits."""
    return [
        _conversation("small", round_, budget=4_000, system=200, turns=(10, 50), blocks=(5, 120))
    ]


def overflow(round_: int) -> list[Work]:
    """Ten times more history than budget, and a retriever with more to give than fits."""
    return [
        _conversation(
            "overflow", round_, budget=8_000, system=500, turns=(1_000, 80), blocks=(200, 150)
        )
    ]


def large(round_: int) -> list[Work]:
    """The same with ten times the history and sixteen times the budget."""
    return [
        _conversation(
            "large", round_, budget=128_000, system=500, turns=(10_000, 80), blocks=(200, 150)
        )
    ]


def tools(round_: int) -> list[Work]:
    """Fifty assistants calling tools, cut by budgets that fall anywhere in a turn."""
    writer = Writer((SEED, "tools", round_))
    history = tuple(message for turn in range(50) for message in _tool_turn(writer, turn))
    work = Work(0, system=writer.text(200), question=writer.text(30), history=history)
    return [replace(work, budget=budget) for budget in TOOL_BUDGETS]


TOOL_BUDGETS = (500, 777, 1_000, 1_537, 2_048, 3_001, 4_096, 6_000, 9_999, 20_000)

WORKLOADS: Mapping[str, Callable[[int], list[Work]]] = {
    "small": small,
    "overflow": overflow,
    "large": large,
    "tools": tools,
}


def history(writer: Writer, messages: int, tokens: int) -> tuple[Message, ...]:
    """User and assistant in turn, each message of so many tokens."""
    return tuple(
        Message("assistant" if index % 2 else "user", writer.text(tokens))
        for index in range(messages)
    )


def _conversation(
    name: str,
    round_: int,
    *,
    budget: int,
    system: int,
    turns: tuple[int, int],
    blocks: tuple[int, int],
) -> Work:
    writer = Writer((SEED, name, round_))
    number, tokens = blocks
    return Work(
        budget,
        system=writer.text(system),
        question=writer.text(30),
        history=history(writer, *turns),
        blocks=tuple(writer.text(tokens) for _ in range(number)),
    )


def _tool_turn(writer: Writer, turn: int) -> list[Message]:
    calls = tuple(
        ToolCall(f"call_{turn}_{index}", "search_orders", f'{{"note": "{writer.text(20)}"}}')
        for index in range(1 + turn % 3)
    )
    return [
        Message("user", writer.text(40)),
        Message("assistant", None if turn % 2 else writer.text(20), calls),
        *(Message("tool", writer.text(60), answers=call.id) for call in calls),
        Message("assistant", writer.text(50)),
    ]
