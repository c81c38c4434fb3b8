"""Plain JSON from what a caller passes; the copy shares nothing with the original."""

from __future__ import annotations

import base64
from collections.abc import Collection, Mapping, Sequence
from math import isfinite
from typing import Any, Final

from pydantic import BaseModel

from biblicus_context.errors import InputError

_NOTHING: Final[tuple[object, ...]] = (None, [], {})


class _FaultError(Exception):
    """A value that JSON does not have, and its path from the inside out."""

    def __init__(self, problem: str, found: object, fix: str | None = None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.found = found
        self.fix = fix
        self.way = ""


def plain(value: object, place: str) -> Any:
    """A copy in plain JSON; SDK objects become what they send, bytes become base64."""
    try:
        return _plain(value)
    except _FaultError as fault:
        where = f"{place}{fault.way}"
        raise InputError(fault.problem, place=where, found=fault.found, fix=fault.fix) from None
    except RecursionError as error:
        raise InputError("this is nested too deeply", place=place) from error


def _plain(value: object) -> Any:
    if isinstance(value, str):
        return value if value.isascii() else _sound(value)
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="json", by_alias=True, exclude_unset=True, warnings=False)
    if isinstance(value, Mapping):
        return _object(value)
    if isinstance(value, list | tuple):
        return _array(value)
    return _scalar(value)


def _object(value: Mapping[Any, object]) -> dict[str, Any]:
    copied: dict[str, Any] = {}
    for key, item in value.items():
        if not isinstance(key, str):
            raise _FaultError("keys must be text", key)
        try:
            copied[key if key.isascii() else _sound(key)] = _plain(item)
        except _FaultError as fault:
            fault.way = f".{key}{fault.way}"
            raise
    return copied


def _array(value: Sequence[object]) -> list[Any]:
    copied: list[Any] = []
    for at, item in enumerate(value):
        try:
            copied.append(_plain(item))
        except _FaultError as fault:
            fault.way = f"[{at}]{fault.way}"
            raise
    return copied


def _scalar(value: object) -> Any:
    match value:
        case bytes():
            return base64.b64encode(value).decode()
        case float() if not isfinite(value):
            pass
        case None | bool() | int() | float():
            return value
    raise _FaultError(f"{type(value).__name__} cannot be written as JSON", value)


def _sound(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise _FaultError(
            f"half of a surrogate pair at character {error.start} cannot be sent",
            text[error.start],
            "Replace it: text.encode('utf-8', 'replace').decode().",
        ) from None
    return text


def mapping(value: Any, place: str) -> dict[str, Any]:
    """A value that must be a mapping."""
    if not isinstance(value, dict):
        raise InputError("this must be a mapping", place=place, found=value)
    return value


def filled(value: Any, place: str) -> dict[str, Any]:
    """The mapping without the keys that are null."""
    return {key: item for key, item in mapping(value, place).items() if item is not None}


def entered(value: object, place: str) -> dict[str, Any]:
    """A copy of a mapping or an SDK object, without the keys that are null."""
    return filled(plain(value, place), place)


def beside(known: Collection[str], written: Mapping[str, Any]) -> dict[str, Any]:
    """The unknown keys that have a value."""
    return {key: item for key, item in written.items() if key not in known and item not in _NOTHING}


def items(value: object, place: str) -> list[Any]:
    """A list; null is an empty one."""
    if value is None:
        return []
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Sequence):
        raise InputError("this must be a list", place=place, found=value)
    return list(value)


def flag(value: object, place: str) -> bool:
    """A value that must be true, false or null."""
    if value is None or isinstance(value, bool):
        return bool(value)
    raise InputError("this must be true or false", place=place, found=value)


def text(value: object, place: str) -> str:
    """A value that must be a text."""
    if not isinstance(value, str):
        problem = "this is missing" if value is None else "this must be a text"
        raise InputError(problem, place=place, found=value)
    return value
