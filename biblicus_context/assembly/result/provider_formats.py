"""A result in the format of a provider, by its name, as values of JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from biblicus_context.assembly.result.result import ContextAssemblyResult
from biblicus_context.base.doors import door
from biblicus_context.errors import UnknownNameError
from biblicus_context.formats import tools_for

_Tools: TypeAlias = Sequence[Mapping[str, Any]]


def _langchain(result: ContextAssemblyResult, _tools: _Tools) -> list[dict[str, Any]]:
    """The objects as LangChain loads them."""
    from pydantic_core import to_jsonable_python

    return [{"type": each.type, "data": to_jsonable_python(each)} for each in result.to_langchain()]


def _pydantic_ai(result: ContextAssemblyResult, _tools: _Tools) -> Any:
    from pydantic_core import to_jsonable_python

    return to_jsonable_python(result.to_pydantic_ai())


PROVIDER_FORMATS: Final[Mapping[str, Callable[[ContextAssemblyResult, _Tools], Any]]] = {
    "messages": lambda result, _: result.messages,
    "openai": lambda result, _: result.to_openai(),
    "openai-responses": lambda result, _: result.to_openai_responses(),
    "anthropic": lambda result, tools: result.to_anthropic(tools=tools),
    "gemini": lambda result, tools: result.to_gemini(tools=tools),
    "langchain": _langchain,
    "pydantic-ai": _pydantic_ai,
}
"""What is sent, by the name of its format; `messages` is our own."""
_ARGUMENT: Final = {"openai": "messages", "openai-responses": "input"}
"""Formats whose messages are one argument of a call; the others are all its arguments."""


@door
def provider_arguments(
    name: str, result: ContextAssemblyResult, tools: _Tools = ()
) -> dict[str, Any]:
    """The arguments of a call of a provider's SDK, its tools among them."""
    if name not in PROVIDER_FORMATS:
        raise UnknownNameError("Format", name, PROVIDER_FORMATS)
    sent = PROVIDER_FORMATS[name](result, tools)
    if name not in _ARGUMENT:
        return {**sent}
    own = {"tools": tools_for(name.replace("-", "_"), tools)} if tools else {}
    return {_ARGUMENT[name]: sent, **own}
