"""pydantic-ai's definitions of tools."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from biblicus_context.base.doors import door
from biblicus_context.errors import InputError
from biblicus_context.formats.plain import entered, items
from biblicus_context.formats.pydantic_ai.library import tools_of_library
from biblicus_context.formats.tool_definition import chat_definition, function_of

if TYPE_CHECKING:
    from pydantic_ai.tools import ToolDefinition


@door
def tools_from_pydantic_ai(definitions: Iterable[ToolDefinition]) -> list[dict[str, Any]]:
    """The tools of an agent's request in the form of OpenAI's chat, as `assemble` takes them."""
    library = tools_of_library()
    return [
        _written(library, definition, f"tools[{at}]")
        for at, definition in enumerate(items(definitions, "tools"))
    ]


def _written(library: Any, definition: Any, place: str) -> dict[str, Any]:
    if not isinstance(definition, library.ToolDefinition):
        problem = "this is not a tool definition of pydantic-ai"
        raise InputError(problem, place=place, found=definition)
    body = {
        "name": definition.name,
        "description": definition.description,
        "parameters": definition.parameters_json_schema,
        "strict": definition.strict,
    }
    return chat_definition(function_of(entered(body, place), place))
