"""What pydantic reports about invalid values, as every room words it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pydantic import ValidationError


class InvalidValue(NamedTuple):
    """One value that does not fit its model."""

    path: tuple[str | int, ...]
    problem: str
    value: Any
    reason: str
    """Pydantic's stable name of the problem, such as `missing`."""
    details: Mapping[str, Any]

    @property
    def place(self) -> str:
        """The path as a person reads it.

        >>> InvalidValue(("blocks", 0, "text"), "Field required", {}, "missing", {}).place
        'blocks.0.text'
        """
        return ".".join(map(str, self.path))

    @property
    def is_unknown_key(self) -> bool:
        """Whether the model has no such key."""
        return self.reason == "extra_forbidden"

    @property
    def is_missing(self) -> bool:
        """Whether a required key is absent."""
        return self.reason == "missing"

    def __str__(self) -> str:
        return f"{self.place}: {self.problem}" if self.path else self.problem


def invalid_values(error: ValidationError) -> list[InvalidValue]:
    """Every invalid value, in the order of the model's fields."""
    return [
        InvalidValue(
            each["loc"],
            # Pydantic's own prefix for what our validators raise.
            each["msg"].removeprefix("Value error, "),
            each["input"],
            each["type"],
            each.get("ctx", {}),
        )
        for each in error.errors(include_url=False)
    ]


def first_invalid(error: ValidationError) -> InvalidValue:
    """The first invalid value."""
    return invalid_values(error)[0]
