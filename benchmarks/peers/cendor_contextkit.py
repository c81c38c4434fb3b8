"""cendor-contextkit: pinned blocks around a history block that peels its oldest turns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cendor.contextkit import Block, Context
from cendor.core import tokens

from benchmarks.child import main
from benchmarks.measuring import Library
from benchmarks.messages import Message
from benchmarks.peers.counters import Remembering
from benchmarks.peers.offline_ranks import o200k

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.workloads import Work

MODEL = "gpt-4o"


def with_its_own_counter(work: Work) -> Callable[[], list[dict[str, Any]]]:
    """tiktoken, and four tokens of framing charged for every message."""
    history = [message.as_dict() for message in work.history]
    return lambda: assemble(work, history)


def with_ours(work: Work) -> Callable[[], list[dict[str, Any]]]:
    """A registered counter decides about framing as well: none, as for every other library."""
    known = Remembering()

    def count(counted: str | list[dict[str, Any]], _model: str) -> int:
        if isinstance(counted, str):
            return known[counted]
        return sum(known[message["content"]] for message in counted)

    tokens.register("openai", count)
    return with_its_own_counter(work)


def assemble(work: Work, history: list[dict[str, Any]]) -> list[dict[str, Any]]:
    context = Context(budget_tokens=work.budget, model=MODEL)
    context.add(Block(work.instructions(), pin=True, role="system"))
    context.add(Block(messages=history))
    context.add(Block(work.question, pin=True, role="user"))
    return context.assemble()


def sent(messages: list[dict[str, Any]]) -> list[Message]:
    return [Message.from_dict(message) for message in messages]


VARIANTS = {
    "tiktoken": Library(with_its_own_counter, sent),
    "splintr": Library(with_ours, sent),
}

if __name__ == "__main__":
    o200k()
    main(VARIANTS)
