"""Tool calls and their results in a message, in every shape: the one place that tells them apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

ANSWERING_ROLES: Final = frozenset({"tool", "function"})
CALL_KINDS: Final = frozenset({"tool_use", "tool_call", "function_call", "functionCall"})
"""Types of parts that call a tool; in Gemini's shape they are keys."""
_GEMINI_CALLS: Final = ("function_call", "functionCall")
_GEMINI_RESULTS: Final = ("function_response", "functionResponse")
_RESULT_IDS: Final = {"tool_result": "tool_use_id", "function_call_output": "call_id"}


def calls_in(message: object) -> Counter[str]:
    """The calls of a message, by what their results name.

    >>> calls_in({"role": "assistant", "tool_calls": [{"id": "a"}, {"id": "b"}]})
    Counter({'a': 1, 'b': 1})
    """
    if not isinstance(message, Mapping):
        return Counter()
    # LangChain repeats the calls of the content next to it: the same id is the same call.
    return Counter(_beside_content(message)) | Counter(_in_content(message))


def results_in(message: object) -> Counter[str]:
    """The results in a message, by what they name.

    >>> results_in({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a"}]})
    Counter({'a': 1})
    """
    return Counter(_results(message)) if isinstance(message, Mapping) else Counter()


def has_results(message: object) -> bool:
    """Whether there is a result in a message."""
    return isinstance(message, Mapping) and next(_results(message), None) is not None


def _beside_content(message: Mapping[str, Any]) -> Iterator[str]:
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list | tuple) else ():
        yield _id(call, "id")
    function = message.get("function_call")
    if isinstance(function, Mapping) and function:
        yield _by_name(function)


def _in_content(message: Mapping[str, Any]) -> Iterator[str]:
    for part in _parts(message):
        kind = part.get("type")
        bodies = [body for key in _GEMINI_CALLS if isinstance(body := part.get(key), Mapping)]
        yield from map(_of_gemini, bodies)
        if not bodies and isinstance(kind, str) and kind in CALL_KINDS:
            yield _id(part, "call_id" if "call_id" in part else "id")


def _results(message: Mapping[str, Any]) -> Iterator[str]:
    role = message.get("role")
    if role == "function":
        yield _by_name(message)
    parts = [*_result_parts(message)]
    if role == "tool" and ("tool_call_id" in message or not parts):
        yield _id(message, "tool_call_id")
    yield from parts


def _result_parts(message: Mapping[str, Any]) -> Iterator[str]:
    for part in _parts(message):
        kind = part.get("type")
        bodies = [body for key in _GEMINI_RESULTS if isinstance(body := part.get(key), Mapping)]
        yield from map(_of_gemini, bodies)
        if not bodies and isinstance(kind, str) and kind in _RESULT_IDS:
            yield _id(part, _RESULT_IDS[kind])


def _parts(message: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    content = message.get("content")
    if isinstance(content, list | tuple):
        yield from (part for part in content if isinstance(part, Mapping))


def _id(holder: object, key: str) -> str:
    return str(holder.get(key) if isinstance(holder, Mapping) else holder)


def _by_name(holder: Mapping[str, Any]) -> str:
    return f"function:{holder.get('name')}"


def _of_gemini(body: Mapping[str, Any]) -> str:
    """Gemini matches a response by id where there is one, else by name."""
    return str(body["id"]) if body.get("id") else _by_name(body)
