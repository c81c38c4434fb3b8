"""Settings that each call fills, and names that one placeholder may stand for."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import BeforeValidator, Discriminator, Field, Tag

ONE_PLACEHOLDER: Final = r"^\{[A-Za-z]\w*(\.\w+)*\}$"


def _listed(value: object) -> object:
    """One name as a list, and no list in a list: a placeholder may stand for several names."""
    if isinstance(value, list | tuple):
        return tuple(
            name for each in value for name in (each if isinstance(each, list) else [each])
        )
    return (value,) if isinstance(value, str) else value


NameList = Annotated[tuple[str, ...], BeforeValidator(_listed)]
"""One name, or a list of names."""


def _number_or_text(value: object) -> str:
    return "<name>" if isinstance(value, str) else "<number>"


_Placeholder = Annotated[Annotated[str, Field(pattern=ONE_PLACEHOLDER)], Tag("<name>")]

Depth = Annotated[
    Annotated[Annotated[int, Field(ge=1, le=10)], Tag("<number>")] | _Placeholder,
    Discriminator(_number_or_text),
]
"""How far relations are followed; a text is one placeholder, which each call fills before anything is searched."""

Levels = Annotated[
    Annotated[Annotated[int, Field(ge=0, le=50)], Tag("<number>")] | _Placeholder,
    Discriminator(_number_or_text),
]
"""Levels of a tree, none among them; a text is a placeholder as well."""
