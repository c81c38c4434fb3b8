"""The types of the official SDKs, for type checkers alone: nothing is imported when a program runs.

A program passes what a result writes to a client without a cast. Where an SDK is not installed, its
types are unknown to the checker, and nothing is checked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Required, TypeAlias, TypedDict

if TYPE_CHECKING:
    from anthropic.types import MessageParam, TextBlockParam, ToolParam
    from google.genai.types import ContentDict, GenerateContentConfigDict, ToolDict
    from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolUnionParam
    from openai.types.responses import FunctionToolParam, ResponseInputItemParam

OpenAIMessages: TypeAlias = "list[ChatCompletionMessageParam]"
"""For `client.chat.completions.create(messages=...)`."""

OpenAITools: TypeAlias = "list[ChatCompletionToolUnionParam]"
"""For `client.chat.completions.create(tools=...)`."""

OpenAIResponseItems: TypeAlias = "list[ResponseInputItemParam]"
"""For `client.responses.create(input=...)`."""

OpenAIResponseTools: TypeAlias = "list[FunctionToolParam]"
"""For `client.responses.create(tools=[*...])`."""

AnthropicTools: TypeAlias = "list[ToolParam]"
"""For `client.messages.create(tools=...)`."""

GeminiTools: TypeAlias = "list[ToolDict]"
"""For `config={"tools": [*...]}` of `client.models.generate_content`."""


class AnthropicArguments(TypedDict, total=False):
    """For `client.messages.create(model=..., max_tokens=..., **these)`."""

    messages: Required[list[MessageParam]]
    system: list[TextBlockParam]
    tools: list[ToolParam]


class GeminiArguments(TypedDict, total=False):
    """For `client.models.generate_content(model=..., **these)`."""

    contents: Required[list[ContentDict]]
    config: GenerateContentConfigDict
