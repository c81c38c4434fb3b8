"""What a condition may say of metadata: keys, and values that can be compared with them."""

from __future__ import annotations

import math
import re
from typing import Final, TypeAlias

from biblicus_context.errors import InputError

METADATA_KEY: Final = re.compile(r"[^\W\d][\w.-]{0,63}")

Scalar: TypeAlias = str | int | float | bool | None
Bound: TypeAlias = str | int | float | None


def metadata_key(key: object) -> str:
    """A key that a condition may name."""
    if not isinstance(key, str) or not METADATA_KEY.fullmatch(key):
        fix = "A key starts with a letter or '_'; digits, '.' and '-' may follow."
        raise InputError("not a valid key of metadata", found=key, fix=fix)
    return key


def scalar(value: object) -> Scalar:
    """A value that can be compared with metadata."""
    if isinstance(value, float) and not math.isfinite(value):
        raise InputError("a finite number is expected", found=value)
    if value is None or isinstance(value, str | int | float):
        return value
    raise InputError("text, a number, true, false or null is expected", found=value)
