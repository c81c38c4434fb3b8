"""What pydantic reports about invalid values, as every room words it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, get_args

from biblicus_context.errors import ContextError, InputError

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError
    from pydantic.fields import FieldInfo


_NO_MAPPING: Final = frozenset({"model_type", "dict_type", "mapping_type"})
"""Pydantic's names for a value that is not a mapping; its words name our classes."""


_UNKNOWN: Final = frozenset({"extra_forbidden", "invalid_key"})
"""A key that the model does not have, or one that is no text."""


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
        return self.reason in _UNKNOWN

    @property
    def is_no_mapping(self) -> bool:
        """Whether nothing but a mapping is expected, and the value is none."""
        return self.reason in _NO_MAPPING and not is_branch(self.path[-1:] and self.path[-1])

    @property
    def cause(self) -> ContextError | None:
        """What our own validator raised."""
        raised = self.details.get("error")
        return raised if isinstance(raised, ContextError) else None

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


def is_branch(step: object) -> bool:
    """Whether a step of pydantic's path names the branch of a union: it is in no file.

    >>> is_branch("<range>"), is_branch("range")
    (True, False)
    """
    return isinstance(step, str) and step.startswith("<")


def input_error(
    error: ValidationError, model: type[BaseModel], *, place: str = "", noun: str = "key"
) -> InputError:
    """What is wrong with a value first: a misspelt key, else the first invalid value."""
    invalid = min(invalid_values(error), key=lambda each: not each.is_unknown_key)
    path = [step for step in invalid.path if not is_branch(step)]
    where = ".".join(filter(None, (place, *map(str, path))))
    if invalid.is_unknown_key:
        above = ".".join(filter(None, (place, *map(str, path[:-1]))))
        valid = valid_keys(model, invalid.path[:-1])
        return InputError(f"unknown {noun}", place=above, found=path[-1], valid=valid)
    if invalid.is_missing:
        return InputError("a value is required", place=where)
    if cause := invalid.cause:
        return InputError(
            cause.problem,
            place=where or cause.place,
            found=cause.found,
            valid=cause.valid,
            fix=cause.fix,
        )
    if invalid.is_no_mapping:
        valid = valid_keys(model, invalid.path)
        return InputError("a mapping is expected", place=where, found=invalid.value, valid=valid)
    return InputError(invalid.problem, place=where, found=invalid.value)


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
    by_alias = model.model_config.get("loc_by_alias", True)
    fields = model.model_fields.items()
    return {(field.alias if by_alias else None) or name: field for name, field in fields}


def _models_in(annotation: object) -> Iterator[type[BaseModel]]:
    from pydantic import BaseModel  # the models of callers have loaded it

    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for each in get_args(annotation):
        yield from _models_in(each)
