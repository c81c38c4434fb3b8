"""The arguments of a tool call: text here, a JSON object for some providers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isinf
from typing import Any, NoReturn


class ArgumentsError(ValueError):
    """A text that cannot be sent as a JSON object without changing it."""


def object_in(text: str) -> dict[str, Any]:
    """The JSON object in a text; an empty text is an empty object.

    >>> object_in('{"q": "refund"}')
    {'q': 'refund'}
    """
    if not text.strip():
        return {}
    try:
        value = json.loads(
            text, object_pairs_hook=_without_repeats, parse_constant=_no, parse_float=_finite
        )
        json.dumps(value, ensure_ascii=False).encode()
    except ArgumentsError:
        raise
    except UnicodeEncodeError:
        raise ArgumentsError("they contain a lone surrogate") from None
    except ValueError as error:
        raise ArgumentsError(f"they are not JSON ({error})") from None
    except RecursionError:
        raise ArgumentsError("they are nested too deeply") from None
    if not isinstance(value, dict):
        raise ArgumentsError("they are JSON, but not an object")
    return value


def text_of(value: Mapping[str, Any]) -> str:
    """A JSON object as text, as models write it: without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def object_or_text(text: str) -> dict[str, Any] | str:
    """The object in a text if it gives the same text back, else the text."""
    try:
        value = object_in(text)
    except ArgumentsError:
        return text
    return value if text_of(value) == text else text


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise ArgumentsError("they have a key twice")
    return value


def _no(constant: str) -> NoReturn:
    raise ArgumentsError(f"they hold {constant}, which JSON does not have")


def _finite(text: str) -> float:
    value = float(text)
    if isinf(value):
        raise ArgumentsError(f"they hold {text}, which is too large a number")
    return value
