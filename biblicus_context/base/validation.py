"""What pydantic reports about invalid values, as every room words it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError
    from pydantic.fields import FieldInfo


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


def valid_keys(model: type[BaseModel], path: Sequence[str | int]) -> tuple[str, ...]:
    """The keys of the mapping that is at a path of a model, which may be a branch of a union.

    Steps that name no field are the branch, the number of an item, or a key of a mapping.

    >>> from pydantic import create_model
    >>> Paging = create_model("Paging", limit=(int, 10))
    >>> Search = create_model("Search", paging=(Paging | int, 10))
    >>> valid_keys(Search, ("paging", "Paging"))
    ('limit',)
    """
    models = [model]
    for step in path:
        fields = [each[str(step)] for each in map(_by_key, models) if str(step) in each]
        if fields:
            models = [one for each in fields for one in _models_in(each.annotation)]
    return tuple(dict.fromkeys(key for each in models for key in _by_key(each)))


def _by_key(model: type[BaseModel]) -> Mapping[str, FieldInfo]:
    return {field.alias or name: field for name, field in model.model_fields.items()}


def _models_in(annotation: object) -> Iterator[type[BaseModel]]:
    from pydantic import BaseModel  # the models of callers have loaded it

    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for each in get_args(annotation):
        yield from _models_in(each)
