"""The base of all declarations: frozen, unknown keys forbidden."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    ValidationInfo,
    WithJsonSchema,
    model_validator,
)

from biblicus_context.base.nesting import TOO_DEEP, is_too_deep

_NAME: Final = r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]*(?![\s\S])"
_NAME_IS: Final = "a name is one line of text without control characters"


def _name(text: str, info: ValidationInfo) -> str:
    """The name; one of a program is its own."""
    if info.mode == "json" and not re.fullmatch(_NAME, text):
        raise ValueError(_NAME_IS)
    return text


Name = Annotated[
    str,
    Field(min_length=1),
    AfterValidator(_name),
    WithJsonSchema(
        {"type": "string", "minLength": 1, "pattern": _NAME, "patternErrorMessage": _NAME_IS}
    ),
]
"""What a declaration is called. In a file it is one line: commands print it, also into logs of CI, where
a line may be an instruction."""


class Spec(BaseModel):
    """Base of all declarations in files."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True)


class StrictSpec(Spec):
    """Base of settings that Python passes as often as files do: "5" is not accepted as a number."""

    model_config = ConfigDict(strict=True)

    @model_validator(mode="before")
    @classmethod
    def _any_mapping(cls, given: Any) -> Any:
        """Pydantic takes a `dict` alone as a strict mapping; programs also pass frozen ones."""
        return {**given} if isinstance(given, Mapping) else given


def table(value: object, info: ValidationInfo) -> object:
    """Lua has one kind of table, so an empty mapping can arrive as an empty list; in files it cannot."""
    return {} if value == [] and info.mode == "python" else value


def _settings(value: object, info: ValidationInfo) -> object:
    if is_too_deep(value):
        raise ValueError(TOO_DEEP)
    return table(value, info)


Settings = Annotated[Mapping[str, Any], BeforeValidator(_settings)]
"""A mapping of free-form settings; Lua's empty table counts as one."""


def name_or(tag: str) -> Callable[[Any], str]:
    """A discriminator for "a name, or the thing itself", so that one mistake is one message."""
    return lambda value: "name" if isinstance(value, str) else tag


def name_or_settings(value: object) -> str:
    """The branch of a name, or of settings; no key of a file is spelt like it."""
    return "<name>" if isinstance(value, str) else "<settings>"


def number_or_settings(value: object) -> str:
    """The branch of a number, also of one in quotes, which is then refused as such; or of settings."""
    return "<number>" if isinstance(value, int | float | str) else "<settings>"


NameOrSettings = Annotated[
    Annotated[Settings, Tag("<settings>")] | Annotated[str, Tag("<name>")],
    Discriminator(name_or_settings),
]
"""The name of a declared thing, or its settings in place."""
