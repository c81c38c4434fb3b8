"""Sound text: text that every encoder accepts."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator

from biblicus_context.base.surrogates import replaced


def sound(value: object) -> object:
    """Text with U+FFFD for each half of a surrogate pair, as it would be sent; else the value."""
    return replaced(value) if isinstance(value, str) and not value.isascii() else value


Text = Annotated[str, BeforeValidator(sound)]
"""A text field; pydantic on its own refuses text that cannot be encoded."""
