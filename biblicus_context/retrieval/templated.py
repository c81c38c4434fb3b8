"""Settings with placeholders, filled for one call."""

from __future__ import annotations

import glob
from collections.abc import Mapping
from typing import Any, Final

from biblicus_context.text.placeholders import PLACEHOLDER, fill, names_in
from biblicus_context.text.values import NoSuchPartError, part_of

_PATTERNS: Final = frozenset({"documents", "from", "filters.path"})
"""Settings that are patterns of paths: an author writes them, and a caller's value is a name."""


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


def filled(settings: Any, names: Mapping[str, object], *, place: str, at: str = "") -> Any:
    """The setting `at` this path with its values; a text that is one placeholder is the value itself.

    In a pattern of paths a value stands for itself alone, so that no caller reaches more than meant.

    >>> filled({"tags": "{input.tags}"}, {"input": {"tags": ["a", "b"]}}, place="filters")
    {'tags': ['a', 'b']}
    >>> filled(["{input.who}/**"], {"input": {"who": "**"}}, place="documents", at="documents")
    ['[*][*]/**']
    """
    if isinstance(settings, Mapping):
        return {
            key: filled(each, names, place=place, at=f"{at}.{key}")
            for key, each in settings.items()
        }
    if isinstance(settings, list | tuple):
        return [filled(each, names, place=place, at=at) for each in settings]
    if not isinstance(settings, str):
        return settings
    return _value(settings, _literal(names) if at in _PATTERNS else names, place)


def _literal(value: Any) -> Any:
    """The value with texts that match nothing but themselves."""
    if isinstance(value, Mapping):
        return {key: _literal(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_literal(each) for each in value]
    return glob.escape(value) if isinstance(value, str) else value


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
