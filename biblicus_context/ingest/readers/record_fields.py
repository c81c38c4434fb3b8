"""The fields of a record, wherever it keeps them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

_INNER: Final = "metadata"


def fields_of(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Its fields, with those that it keeps below `metadata`; its own come first.

    >>> fields_of({"text": "Hello", "metadata": {"speaker": "Ada", "text": "?"}})
    {'speaker': 'Ada', 'text': 'Hello'}
    """
    inner = record.get(_INNER)
    if not isinstance(inner, dict):
        return record
    return {**inner, **{name: value for name, value in record.items() if name != _INNER}}


def first_of(record: Mapping[str, Any], keys: Sequence[str]) -> str:
    """The first of these fields that is not empty."""
    values = (record.get(key) for key in keys)
    return next((str(each) for each in values if each and isinstance(each, str | int | float)), "")
