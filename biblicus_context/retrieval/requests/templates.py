"""Fills the placeholders in settings for one call."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Mapping
from typing import Any, Final

from biblicus_context.base.nesting import refuse_too_deep
from biblicus_context.errors import InputError
from biblicus_context.text.templates.placeholders import PLACEHOLDER, fill, names_in
from biblicus_context.text.templates.values import NoSuchPartError, as_text, part_of

_PATTERNS: Final = frozenset({"documents", "from", "filters.path"})
"""Settings that are path patterns: only the author writes patterns, a value of a call is a name."""
_NO_VALUE: Final = object()


def has_placeholders(settings: object) -> bool:
    """Whether a text in these settings has a placeholder.

    >>> has_placeholders({"path": ["{input.folder}/**"]}), has_placeholders({"json": "{}"})
    (True, False)
    """
    if isinstance(settings, Mapping):
        return any(map(has_placeholders, settings.values()))
    if isinstance(settings, list | tuple):
        return any(map(has_placeholders, settings))
    return isinstance(settings, str) and bool(names_in(settings))


def filled(settings: Any, names: Mapping[str, object], *, place: str, at: str = "") -> Any:
    """The setting `at` this path with its values; a text that is one placeholder becomes the value.

    In a list, one that becomes null is left out. In a path pattern a value is escaped: a caller that
    passes `**` must not reach every file.

    >>> filled({"tags": "{input.tags}"}, {"input": {"tags": ["a", "b"]}}, place="filters")
    {'tags': ['a', 'b']}
    >>> filled(["a", "{input.b}"], {"input": {"b": None}}, place="documents", at="documents")
    ['a']
    >>> filled(["{input.who}/**"], {"input": {"who": "**"}}, place="documents", at="documents")
    ['[*][*]/**']
    """
    if isinstance(settings, Mapping):
        return {
            key: filled(each, names, place=place, at=f"{at}.{key}")
            for key, each in settings.items()
        }
    if isinstance(settings, list | tuple):
        values = [(each, filled(each, names, place=place, at=at)) for each in settings]
        return [value for each, value in values if value is not None or each is None]
    if not isinstance(settings, str):
        return settings
    whole = PLACEHOLDER.fullmatch(settings)
    value = _value(whole[1], names) if whole else _NO_VALUE
    if value is not _NO_VALUE:
        refuse_too_deep(value, place)
        return _names_of_files(value, place) if at in _PATTERNS else value
    # It reports an unknown name, or leaves the text as it is.
    return fill(settings, names, place=place, written=_literal if at in _PATTERNS else as_text)


def _value(path: str, names: Mapping[str, object]) -> object:
    value: object = names
    try:
        for part in path.split("."):
            value = part_of(value, part)
    except NoSuchPartError:
        return _NO_VALUE
    return value


def _names_of_files(value: object, place: str) -> object:
    """One or more names as patterns that match only themselves."""
    if isinstance(value, str):
        return _literal(value)
    if isinstance(value, set | frozenset):
        value = sorted(value, key=repr)  # the order of a set differs between processes
    if isinstance(value, list | tuple):
        return [_literal(each) if isinstance(each, str) else each for each in value]
    if isinstance(value, Iterable):
        raise InputError("a name or a list of names", place=place, found=value)
    return value


def _literal(value: object) -> str:
    return glob.escape(as_text(value))
