"""Tool definitions, from the form of OpenAI's chat to other providers and back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias, overload

from biblicus_context.base.doors import door
from biblicus_context.errors import FormatError, InputError
from biblicus_context.formats.anthropic.blocks import ANTHROPIC
from biblicus_context.formats.dialect import Dialect
from biblicus_context.formats.gemini.parts import GEMINI
from biblicus_context.formats.openai.chat import CHAT
from biblicus_context.formats.openai.responses_writer import RESPONSES
from biblicus_context.formats.plain import entered, filled, items
from biblicus_context.formats.sdk_types import (
    AnthropicTools,
    GeminiTools,
    OpenAIResponseTools,
    OpenAITools,
)
from biblicus_context.formats.tool_definition import (
    CustomTool,
    FunctionTool,
    Tool,
    chat_definition,
    custom_of,
    function_of,
    head,
    refuse_strange,
    tool_of,
)

Tools: TypeAlias = Iterable[Mapping[str, Any]]
ToolProvider: TypeAlias = Literal["openai", "openai_responses", "anthropic", "gemini"]
_DIALECTS: Final[Mapping[str, Dialect]] = MappingProxyType(
    {"openai": CHAT, "openai_responses": RESPONSES, "anthropic": ANTHROPIC, "gemini": GEMINI}
)
_RESPONSES_KEYS: Final = frozenset({"type", "name", "description", "parameters", "strict"})
_ANTHROPIC_KEYS: Final = frozenset(
    {"type", "name", "description", "input_schema", "strict", "cache_control"}
)


@overload
def tools_for(provider: Literal["openai"], tools: Tools) -> OpenAITools: ...
@overload
def tools_for(provider: Literal["openai_responses"], tools: Tools) -> OpenAIResponseTools: ...
@overload
def tools_for(provider: Literal["anthropic"], tools: Tools) -> AnthropicTools: ...
@overload
def tools_for(provider: Literal["gemini"], tools: Tools) -> GeminiTools: ...
@overload
def tools_for(provider: str, tools: Tools) -> list[Any]: ...
@door
def tools_for(provider: str, tools: Tools) -> Any:
    """Tools in the form of a provider.

    >>> tools_for("anthropic", [{"type": "function", "function": {"name": "track"}}])
    [{'name': 'track', 'input_schema': {'type': 'object', 'properties': {}}}]
    """
    dialect = _dialect(provider)
    typed = [tool_of(tool, place) for tool, place in _entered(tools)]
    for tool in typed:
        _check(tool, dialect)
    written = [_WRITERS[provider](tool) for tool in typed]
    return [{"function_declarations": written}] if provider == "gemini" and written else written


@door
def tools_from(provider: ToolProvider, tools: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """A provider's tools in the form of OpenAI's chat, as `assemble` takes them.

    >>> tools_from("anthropic", [{"name": "track", "input_schema": {"type": "object"}}])
    [{'type': 'function', 'function': {'name': 'track', 'parameters': {'type': 'object'}}}]
    """
    _dialect(provider)
    return [
        chat_definition(tool)
        for written, place in _entered(tools)
        for tool in _READERS[provider](written, place)
    ]


def _entered(tools: Iterable[object]) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield each definition with its place."""
    for at, tool in enumerate(items(tools, "tools")):
        yield entered(tool, f"tools[{at}]"), f"tools[{at}]"


def _dialect(provider: str) -> Dialect:
    if provider not in _DIALECTS:
        raise InputError("unknown provider", place="provider", found=provider, valid=_DIALECTS)
    return _DIALECTS[provider]


def _check(tool: Tool, dialect: Dialect) -> None:
    if not dialect.tool_name.fullmatch(tool.name):
        problem = f"{dialect.name} does not take a tool of this name"
        raise FormatError(problem, place=tool.place, found=tool.name)
    if isinstance(tool, CustomTool) and "custom" not in dialect.calls:
        problem = f"{dialect.name} has no custom tools"
        raise FormatError(problem, place=tool.place, found=tool.name)
    if dialect is GEMINI and isinstance(tool, FunctionTool) and tool.strict:
        problem = "Gemini has no strict tools"
        raise FormatError(problem, place=tool.place, found=tool.name, fix="Leave out strict.")


def _for_responses(tool: Tool) -> dict[str, Any]:
    match tool:
        case FunctionTool(parameters=parameters, strict=strict):
            given = None if parameters is None else dict(parameters)
            # Without `strict` a tool is lax in Chat and strict in Responses.
            return {"type": "function", **head(tool), "parameters": given, "strict": strict}
        case CustomTool(form=form):
            return {
                "type": "custom",
                **head(tool),
                **({} if form is None else {"format": _flat(form)}),
            }


def _flat(form: Mapping[str, Any]) -> dict[str, Any]:
    grammar = form.get("grammar")
    return {"type": "grammar", **grammar} if isinstance(grammar, Mapping) else dict(form)


def _for_anthropic(tool: Tool) -> dict[str, Any]:
    assert isinstance(tool, FunctionTool)
    schema = {"type": "object", "properties": {}} if tool.parameters is None else tool.parameters
    strict = {"strict": True} if tool.strict else {}
    return {**head(tool), "input_schema": dict(schema), **strict}


def _for_gemini(tool: Tool) -> dict[str, Any]:
    assert isinstance(tool, FunctionTool)
    schema = {} if tool.parameters is None else {"parameters_json_schema": dict(tool.parameters)}
    return {**head(tool), **schema}


def _from_chat(written: Mapping[str, Any], place: str) -> Iterator[Tool]:
    yield tool_of(written, place)


def _from_responses(written: Mapping[str, Any], place: str) -> Iterator[Tool]:
    body = {key: item for key, item in written.items() if key != "type"}
    match written.get("type"):
        case "function":
            refuse_strange(written, _RESPONSES_KEYS, place)
            yield function_of(body, place)
        case "custom":
            form = filled(body.pop("format", {}), f"{place}.format")
            if form.get("type") == "grammar":
                grammar = {key: item for key, item in form.items() if key != "type"}
                form = {"type": "grammar", "grammar": grammar}
            yield custom_of({**body, "format": form} if form else body, place)
        case kind:
            raise _native(kind, place)


def _from_anthropic(written: Mapping[str, Any], place: str) -> Iterator[Tool]:
    if written.get("type") not in (None, "custom"):
        raise _native(written["type"], place)
    refuse_strange(written, _ANTHROPIC_KEYS, place)
    body = {key: item for key, item in written.items() if key in {"name", "description", "strict"}}
    yield function_of({**body, "parameters": written.get("input_schema")}, place)


def _from_gemini(written: Mapping[str, Any], place: str) -> Iterator[Tool]:
    known = ("function_declarations", "functionDeclarations")
    refuse_strange(written, frozenset(known), place)
    declared = next((written[key] for key in known if key in written), ())
    for at, declaration in enumerate(items(declared, place)):
        here = f"{place}.function_declarations[{at}]"
        body = filled(declaration, here)
        for key in ("parameters_json_schema", "parametersJsonSchema"):
            if key in body:
                body["parameters"] = body.pop(key)
        yield function_of(body, here)


def _native(kind: object, place: str) -> FormatError:
    return FormatError("only one provider has this tool", place=place, found=kind)


_WRITERS: Final[Mapping[str, Callable[[Tool], dict[str, Any]]]] = MappingProxyType(
    {
        "openai": chat_definition,
        "openai_responses": _for_responses,
        "anthropic": _for_anthropic,
        "gemini": _for_gemini,
    }
)
_READERS: Final[Mapping[str, Callable[[Mapping[str, Any], str], Iterator[Tool]]]] = (
    MappingProxyType(
        {
            "openai": _from_chat,
            "openai_responses": _from_responses,
            "anthropic": _from_anthropic,
            "gemini": _from_gemini,
        }
    )
)
