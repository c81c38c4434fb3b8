"""The command `render`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from pydantic_core import to_jsonable_python

from biblicus_context.assembly.result.result import ContextAssemblyResult
from biblicus_context.cli.input.prepared_call import prepare
from biblicus_context.cli.options.assembling import RenderArguments, RenderFormat
from biblicus_context.cli.output.terminal import width, write, write_json
from biblicus_context.pages.wording import message_text

_Tools: TypeAlias = Sequence[Mapping[str, Any]]
_Writer: TypeAlias = Callable[[ContextAssemblyResult, _Tools], Any]


def render(args: RenderArguments) -> None:
    call = prepare(args.name, args.place, args.call)
    result = call.assembled(args.budget, args.model)
    match args.output:
        case RenderFormat.TEXT:
            _write_text(result)
        case RenderFormat.MESSAGES:
            write_json(result.messages)
        case RenderFormat.JSON:
            write_json(result.to_json())
        case form:
            write_json(_WRITERS[form](result, call.options.get("tools", ())))


def _write_text(result: ContextAssemblyResult) -> None:
    for message in result.messages:
        write(f"[{message['role']}]\n{message_text(message)}\n")
    write(result.explain(width()))


def _langchain(result: ContextAssemblyResult, _tools: _Tools) -> list[dict[str, Any]]:
    """The objects as LangChain loads them."""
    return [{"type": each.type, "data": to_jsonable_python(each)} for each in result.to_langchain()]


_WRITERS: Mapping[RenderFormat, _Writer] = {
    RenderFormat.OPENAI: lambda result, _: result.to_openai(),
    RenderFormat.OPENAI_RESPONSES: lambda result, _: result.to_openai_responses(),
    RenderFormat.ANTHROPIC: lambda result, tools: result.to_anthropic(tools=tools),
    RenderFormat.GEMINI: lambda result, tools: result.to_gemini(tools=tools),
    RenderFormat.LANGCHAIN: _langchain,
    RenderFormat.PYDANTIC_AI: lambda result, _: to_jsonable_python(result.to_pydantic_ai()),
}
