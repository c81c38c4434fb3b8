"""Paths that callers pass, checked at the door."""

from __future__ import annotations

import os
from errno import ELOOP, ENAMETOOLONG
from pathlib import Path
from stat import S_ISLNK

from biblicus_context.errors import InputError


def path_of(given: object, place: str = "path") -> Path:
    """The path; InputError for what is not one, or what no file can be named.

    >>> path_of("contexts").name
    'contexts'
    """
    if not isinstance(given, str | os.PathLike) or not isinstance(os.fspath(given), str):
        raise InputError("not a path", place=place, found=given, fix="Pass a text or a Path.")
    path = Path(given)
    _refuse_no_name(path, place)
    return path


def resolved(path: Path, place: str = "path") -> Path:
    """The absolute path without links; InputError for what no file can be named, and for links in a circle.

    >>> resolved(Path("contexts/../docs")).name
    'docs'
    """
    _refuse_no_name(path, place)
    real = Path(os.path.realpath(path))
    if _is_circle(real):
        problem, fix = "a link on this path leads to itself", "Correct or remove the link."
        raise InputError(problem, place=place, found=str(path), fix=fix)
    return real


def _is_circle(real: Path) -> bool:
    """Whether a link is left in a path whose links were followed: it has no end."""
    try:
        return S_ISLNK(os.lstat(real).st_mode)
    except OSError as error:
        return error.errno == ELOOP


def _refuse_no_name(path: Path, place: str) -> None:
    text = str(path)
    if "\0" in text:
        raise InputError("a path cannot contain a null character", place=place, found=text)
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        problem = "a path cannot contain half of a surrogate pair"
        raise InputError(problem, place=place, found=text) from None
    try:
        os.lstat(path)
    except OSError as error:
        if error.errno == ENAMETOOLONG:
            problem = "the path, or a name in it, is too long"
            raise InputError(problem, place=place, found=text) from None
