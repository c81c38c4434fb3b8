"""A typed definition of a tool, and its form in OpenAI's chat."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from biblicus_context.errors import FormatError, InputError
from biblicus_context.formats.plain import beside, filled, mapping, text

_FUNCTION_KEYS: Final = frozenset({"name", "description", "parameters", "strict"})
_CUSTOM_KEYS: Final = frozenset({"name", "description", "format"})


@dataclass(frozen=True, slots=True)
class FunctionTool:
    """A tool with parameters."""

    place: str
    name: str
    description: str | None = None
    parameters: Mapping[str, Any] | None = None
    strict: bool = False


@dataclass(frozen=True, slots=True)
class CustomTool:
    """A tool that takes any text, or text of a grammar."""

    place: str
    name: str
    description: str | None = None
    form: Mapping[str, Any] | None = None


Tool: TypeAlias = FunctionTool | CustomTool


def tool_of(definition: Mapping[str, Any], place: str) -> Tool:
    """The tool of a chat definition."""
    match definition.get("type"):
        case "function":
            return function_of(filled(definition.get("function"), f"{place}.function"), place)
        case "custom":
            return custom_of(filled(definition.get("custom"), f"{place}.custom"), place)
    raise InputError(
        "a tool definition has the form of OpenAI's chat",
        place=place,
        found=definition.get("type"),
        valid=("function", "custom"),
        fix="Add a provider's own tools to the returned list.",
    )


def function_of(body: Mapping[str, Any], place: str) -> FunctionTool:
    """The function that the body of a definition describes."""
    refuse_strange(body, _FUNCTION_KEYS, place)
    parameters = (
        mapping(body["parameters"], f"{place}.parameters") if "parameters" in body else None
    )
    if parameters is not None and parameters.get("type") != "object":
        raise InputError(
            "parameters are a JSON Schema of type object",
            place=f"{place}.parameters",
            found=parameters.get("type"),
        )
    return FunctionTool(
        place=place,
        name=text(body.get("name"), f"{place}.name"),
        description=_description(body, place),
        parameters=parameters,
        strict=body.get("strict") is True,
    )


def custom_of(body: Mapping[str, Any], place: str) -> CustomTool:
    """The custom tool that the body of a definition describes."""
    refuse_strange(body, _CUSTOM_KEYS, place)
    form = mapping(body["format"], f"{place}.format") if "format" in body else None
    return CustomTool(
        place, text(body.get("name"), f"{place}.name"), _description(body, place), form
    )


def chat_definition(tool: Tool) -> dict[str, Any]:
    """A tool in the form of OpenAI's chat."""
    body = head(tool)
    match tool:
        case FunctionTool(parameters=parameters, strict=strict):
            body |= {} if parameters is None else {"parameters": dict(parameters)}
            body |= {"strict": True} if strict else {}
            return {"type": "function", "function": body}
        case CustomTool(form=form):
            body |= {} if form is None else {"format": dict(form)}
            return {"type": "custom", "custom": body}


def head(tool: Tool) -> dict[str, Any]:
    """The name of a tool, and its description if it has one."""
    said = {} if tool.description is None else {"description": tool.description}
    return {"name": tool.name, **said}


def refuse_strange(written: Mapping[str, Any], known: frozenset[str], place: str) -> None:
    """Refuse keys that another provider's definition could not say."""
    strange = beside(known, written)
    if strange:
        raise FormatError(
            "this part of the definition has no counterpart", place=place, found=strange
        )


def _description(body: Mapping[str, Any], place: str) -> str | None:
    said = body.get("description")
    return None if said is None else text(said, f"{place}.description")
