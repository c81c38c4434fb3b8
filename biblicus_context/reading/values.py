"""Values in JSON, JSON Lines or YAML, such as conversations and inputs; parsed strictly."""

from __future__ import annotations

import json
from typing import Any

from biblicus_context.errors import LoadError
from biblicus_context.reading.yaml.documents import read_trees


def json_value(text: str, file: str, line: int = 1) -> Any:
    """One JSON value; raises LoadError, also for a repeated key and for NaN."""
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        at = line + error.lineno - 1
        problem = f"this is not JSON: {error.msg}"
        raise LoadError(problem, file=file, line=at, column=error.colno) from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, deep nesting
        raise LoadError(f"this is not JSON: {error}", file=file, line=line) from None


def json_lines(text: str, file: str) -> list[Any]:
    """A JSON value in each line that is not blank."""
    lines = enumerate(text.split("\n"), 1)
    return [json_value(line, file, number) for number, line in lines if line.strip()]


def yaml_value(text: str | bytes, file: str) -> Any:
    """The value of the one document in a text."""
    first, *more = read_trees(text, file)
    if isinstance(first, LoadError):
        raise first
    if more:
        raise LoadError("the file must contain one document", file=file, fix="Keep one of them.")
    return first.root.value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {repeated!r} is repeated")
    return mapping


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is not a number in JSON")
