"""The result of one call as expectations see it, and the mismatches they find."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from biblicus_context.assembly.result.receipt import ReceiptPart
from biblicus_context.assembly.result.result import ContextAssemblyResult
from biblicus_context.pages.wording import message_text
from biblicus_context.reading.yaml.tree import Step
from biblicus_context.spec.expectation import Expectation

BETWEEN_MESSAGES = "\n\n"


class Mismatch(NamedTuple):
    """An expectation that does not hold: its path in the file, what was expected, what was found."""

    path: tuple[Step, ...]
    problem: str
    expected: str | None = None
    found: str | None = None
    diff: tuple[str, ...] = ()


@dataclass(frozen=True)
class CallResult:
    """A result, and what it is compared with."""

    result: ContextAssemblyResult
    history: int
    """Messages of the history that was passed."""
    before: ContextAssemblyResult | None = None
    """The result of the previous turn."""

    @property
    def parts(self) -> Iterator[tuple[str, ReceiptPart]]:
        """Every part of the plan, nested ones with the name of their context before them."""
        return _named(self.result.receipt.parts, "")


Check: TypeAlias = Callable[[Expectation, CallResult], Iterator[Mismatch]]


def text_of(messages: Sequence[Mapping[str, Any]]) -> str:
    """The text of all messages, separated by blank lines."""
    return BETWEEN_MESSAGES.join(map(message_text, messages))


def _named(parts: Sequence[ReceiptPart], within: str) -> Iterator[tuple[str, ReceiptPart]]:
    for part in parts:
        yield within, part
        yield from _named(part.parts, f"{within}{part.name}/")
