"""Fields of a record that go by several names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def first_of(record: Mapping[str, Any], keys: Sequence[str]) -> str:
    """The first of these fields that says something."""
    values = (record.get(key) for key in keys)
    return next((str(each) for each in values if each and isinstance(each, str | int | float)), "")
