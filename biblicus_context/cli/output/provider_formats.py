"""A result as what is sent to a provider, in JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from pydantic_core import to_jsonable_python

from biblicus_context.assembly.result.result import ContextAssemblyResult
from biblicus_context.cli.options.assembling import RenderFormat

_Tools: TypeAlias = Sequence[Mapping[str, Any]]
_Writer: TypeAlias = Callable[[ContextAssemblyResult, _Tools], Any]


def for_provider(result: ContextAssemblyResult, form: RenderFormat, tools: _Tools) -> Any:
    """What the method of the result for this provider returns; LangChain's objects as LangChain loads them."""
    return _WRITERS[form](result, tools)


def _langchain(result: ContextAssemblyResult, _tools: _Tools) -> list[dict[str, Any]]:
    return [{"type": each.type, "data": to_jsonable_python(each)} for each in result.to_langchain()]


_WRITERS: Mapping[RenderFormat, _Writer] = {
    RenderFormat.OPENAI: lambda result, _: result.to_openai(),
    RenderFormat.OPENAI_RESPONSES: lambda result, _: result.to_openai_responses(),
    RenderFormat.ANTHROPIC: lambda result, tools: result.to_anthropic(tools=tools),
    RenderFormat.GEMINI: lambda result, tools: result.to_gemini(tools=tools),
    RenderFormat.LANGCHAIN: _langchain,
    RenderFormat.PYDANTIC_AI: lambda result, _: to_jsonable_python(result.to_pydantic_ai()),
}
