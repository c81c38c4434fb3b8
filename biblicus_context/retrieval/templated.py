"""Settings with placeholders, filled for one call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from biblicus_context.text.placeholders import PLACEHOLDER, fill, names_in
from biblicus_context.text.values import NoSuchPartError, part_of


def has_placeholders(settings: object) -> bool:
    """Whether a text somewhere in these settings waits for a value.

    >>> has_placeholders({"path": ["{input.folder}/**"]}), has_placeholders({"json": "{}"})
    (True, False)
    """
    if isinstance(settings, Mapping):
        return any(map(has_placeholders, settings.values()))
    if isinstance(settings, list | tuple):
        return any(map(has_placeholders, settings))
    return isinstance(settings, str) and bool(names_in(settings))


def filled(settings: Any, names: Mapping[str, object], *, place: str) -> Any:
    """The settings with their values; a text that is one placeholder becomes the value itself.

    >>> filled({"tags": "{input.tags}"}, {"input": {"tags": ["a", "b"]}}, place="filters")
    {'tags': ['a', 'b']}
    """
    if isinstance(settings, Mapping):
        return {key: filled(each, names, place=place) for key, each in settings.items()}
    if isinstance(settings, list | tuple):
        return [filled(each, names, place=place) for each in settings]
    return _value(settings, names, place) if isinstance(settings, str) else settings


def _value(text: str, names: Mapping[str, object], place: str) -> object:
    placeholder = PLACEHOLDER.fullmatch(text)
    if placeholder is None:
        return fill(text, names, place=place)
    value: object = names
    try:
        for part in placeholder[1].split("."):
            value = part_of(value, part)
    except NoSuchPartError:
        return fill(text, names, place=place)  # it says what is wrong, or leaves the text alone
    return value
