"""Arguments of a program as models: a mistake names the field, and what was found."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from pydantic import BaseModel, ConfigDict, PlainValidator, ValidationError

from biblicus_context.base.surrogates import replaced
from biblicus_context.base.validation import first_invalid
from biblicus_context.errors import InputError


def _said(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise InputError("a text that is not empty is expected", found=value)
    return replaced(value)


NonBlankText: TypeAlias = Annotated[str, PlainValidator(_said)]
"""A text that says something; U+FFFD takes the place of each half of a surrogate pair."""


class CheckedModel(BaseModel):
    """Base of frozen models of arguments; a mistake is an InputError that names the field.

    >>> class Paging(CheckedModel): limit: int = 10
    >>> Paging(limit=2).limit
    2
    >>> Paging(limits=2)
    Traceback (most recent call last):
    biblicus_context.errors.InputError: Paging: unknown field: found 'limits'. Valid: limit. Did you mean 'limit'?
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    def __init__(self, **values: Any) -> None:
        """The fields by name."""
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise _input_error(type(self), error) from None


def _input_error(model: type[BaseModel], error: ValidationError) -> InputError:
    invalid = first_invalid(error)
    if invalid.is_unknown_key:
        valid = (*model.model_fields,)
        return InputError("unknown field", place=model.__name__, found=invalid.place, valid=valid)
    place = f"{model.__name__}.{invalid.place}"
    cause = invalid.details.get("error")
    if isinstance(cause, InputError):  # of a field that is a checked model as well
        return InputError(cause.problem, place=place, found=cause.found, valid=cause.valid)
    if invalid.is_missing:
        return InputError("a value is required", place=place)
    return InputError(invalid.problem, place=place, found=invalid.value)
