"""What every counter can do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Sequence


@runtime_checkable
class Counter(Protocol):
    """Counts the tokens of a text; the same text always has the same count."""

    @property
    def name(self) -> str:
        """What a policy calls it."""
        ...

    @property
    def estimated(self) -> bool:
        """Whether the count is an estimate with a margin instead of the model's own figure."""
        ...

    def count(self, text: str) -> int:
        """Tokens of one text."""
        ...

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text."""
        ...
