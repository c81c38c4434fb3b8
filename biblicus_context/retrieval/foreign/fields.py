"""Fields of mappings and objects of other libraries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def field(of: object, name: str) -> Any:
    """The value of a key or an attribute; None if there is none. A TypeError if reading it fails."""
    if isinstance(of, Mapping):
        return of.get(name)
    try:
        return getattr(of, name, None)
    except Exception as error:  # a property of another library may raise any error
        raise TypeError(f"{name}: {type(error).__name__}: {error}") from error


def first_field(of: object, names: Iterable[str]) -> Any:
    """The first of these fields that is there; None if none is."""
    return next((value for name in names if (value := field(of, name)) is not None), None)
