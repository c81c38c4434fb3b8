"""Files that hold data for a command: a text, or a value in JSON, JSON Lines or YAML."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from biblicus_context.base.file_content import MOST_BYTES
from biblicus_context.errors import LoadError
from biblicus_context.reading.values import json_lines, json_value, yaml_value

STANDARD = "-"
"""Stands for the standard input, and the standard output."""


def read_bytes(path: Path) -> bytes:
    """What a file holds, or the standard input for a dash."""
    if str(path) == STANDARD:
        return _limited(sys.stdin.buffer, path)
    try:
        # A pipe is waited for, as every shell tool does: `--packs <(command)` is one.
        with path.open("rb") as stream:
            return _limited(stream, path)
    except LoadError:
        raise
    except (OSError, ValueError) as error:  # a path may hold a null character
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise LoadError(f"cannot be read: {reason}", file=str(path)) from None


def _limited(stream: BinaryIO, path: Path) -> bytes:
    content = stream.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise LoadError(f"there are more than {MOST_BYTES:,} bytes", file=file_name(path))
    return content


def read_text(path: Path) -> str:
    """A file as text; what is not UTF-8 is refused."""
    try:
        return read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        problem = f"not a text: byte {error.start:,} is not UTF-8"
        raise LoadError(problem, file=file_name(path)) from None


def read_value(path: Path) -> object:
    """The value in a file, by what its name ends with; without a known ending JSON, else YAML."""
    text = read_text(path)
    if not text.strip():
        raise LoadError("the file is empty", file=file_name(path))
    readers = _READERS.get(path.suffix.lower(), (json_value, json_lines, yaml_value))
    for reader in readers[:-1]:
        try:
            return reader(text, file_name(path))
        except LoadError:
            continue
    return readers[-1](text, file_name(path))


def read_mapping(path: Path, what: str) -> Mapping[str, Any]:
    """A file that has to hold a mapping."""
    value = read_value(path)
    if not isinstance(value, dict):
        raise _wrong(path, f"{what} must be a mapping of names to values", value)
    return value


def read_list(path: Path, what: str, *, under: str | None = None) -> list[Any]:
    """A file that has to hold a list, or a mapping that has one under this key."""
    value = read_value(path)
    if isinstance(value, dict) and under in value:
        value = value[under]
    if not isinstance(value, list):
        raise _wrong(path, f"{what} must be a list", value)
    return value


def _wrong(path: Path, problem: str, value: object) -> LoadError:
    kinds = {dict: "a mapping", list: "a list", str: "a text", bool: "true or false"}
    found = kinds.get(type(value), "a number" if value is not None else "nothing")
    return LoadError(f"{problem}, but the file contains {found}", file=file_name(path))


def file_name(path: Path) -> str:
    """What errors call a file."""
    return "standard input" if str(path) == STANDARD else str(path)


_READERS: Mapping[str, tuple[Callable[[str, str], object], ...]] = {
    ".json": (json_value,),
    ".jsonl": (json_lines,),
    ".ndjson": (json_lines,),
    ".yaml": (yaml_value,),
    ".yml": (yaml_value,),
}
