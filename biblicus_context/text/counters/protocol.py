"""The protocol of counters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Sequence


@runtime_checkable
class Counter(Protocol):
    """Counts the tokens of a text; the same text always has the same count."""

    @property
    def name(self) -> str:
        """The name in policies."""
        ...

    @property
    def estimated(self) -> bool:
        """Whether the counts are estimates with a margin, not the model's own figures."""
        ...

    def count(self, text: str) -> int:
        """The tokens of one text."""
        ...

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """The tokens of each text."""
        ...
