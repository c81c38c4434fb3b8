"""Arguments of a call, checked at the door of a facade."""

from __future__ import annotations

from biblicus_context import ContextError


def require_counts(error: type[ContextError], **counts: object) -> None:
    """Refuse what is not a whole number from 1 on."""
    for place, number in counts.items():
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise error("a whole number from 1 on is expected", place=place, found=number)
