"""Arguments of a program as models: a mistake names the field, and what was found."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from pydantic import BaseModel, ConfigDict, PlainValidator, ValidationError

from biblicus_context.base.surrogates import replaced
from biblicus_context.base.validation import input_error
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
            own = type(self)
            raise input_error(error, own, place=own.__name__, noun="field") from None
