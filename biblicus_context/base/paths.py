"""Paths that callers pass, checked at the door."""

from __future__ import annotations

import os
from pathlib import Path

from biblicus_context.errors import InputError


def path_of(given: object, place: str = "path") -> Path:
    """The path; InputError for what is not one, or what no file can be named.

    >>> path_of("contexts").name
    'contexts'
    """
    if not isinstance(given, str | os.PathLike) or not isinstance(os.fspath(given), str):
        raise InputError("not a path", place=place, found=given, fix="Pass a text or a Path.")
    if "\0" in str(given):
        raise InputError("a path cannot contain a null character", place=place, found=str(given))
    return Path(given)
