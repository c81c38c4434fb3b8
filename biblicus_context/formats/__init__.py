"""A result in the format of each provider, and a provider's conversation as a history."""

from typing import TYPE_CHECKING

from biblicus_context.base.deferred import exports

if TYPE_CHECKING:
    from biblicus_context.errors import FormatError
    from biblicus_context.formats.anthropic.reader import history_from_anthropic
    from biblicus_context.formats.anthropic.writer import to_anthropic
    from biblicus_context.formats.cache_marks import After, Cache, Lifetime
    from biblicus_context.formats.dialect import Foreign
    from biblicus_context.formats.gemini.reader import history_from_gemini
    from biblicus_context.formats.gemini.writer import Signatures, to_gemini
    from biblicus_context.formats.langchain import history_from_langchain, to_langchain
    from biblicus_context.formats.openai.chat import history_from_openai, to_openai
    from biblicus_context.formats.openai.responses_reader import history_from_openai_responses
    from biblicus_context.formats.openai.responses_writer import to_openai_responses
    from biblicus_context.formats.pydantic_ai.reader import history_from_pydantic_ai
    from biblicus_context.formats.pydantic_ai.tools import tools_from_pydantic_ai
    from biblicus_context.formats.pydantic_ai.writer import to_pydantic_ai
    from biblicus_context.formats.sdk_types import (
        AnthropicArguments,
        AnthropicTools,
        GeminiArguments,
        GeminiTools,
        OpenAIMessages,
        OpenAIResponseItems,
        OpenAIResponseTools,
        OpenAITools,
    )
    from biblicus_context.formats.system_texts import LateSystem
    from biblicus_context.formats.tools import tools_for, tools_from

# Every result knows its formats, few calls need one, and all of them are a tenth of the time to a
# first result: a name is imported when it is first used.
__getattr__, __dir__ = exports(
    __name__,
    {
        "biblicus_context.errors": "FormatError",
        "biblicus_context.formats.anthropic.reader": "history_from_anthropic",
        "biblicus_context.formats.anthropic.writer": "to_anthropic",
        "biblicus_context.formats.cache_marks": "After Cache Lifetime",
        "biblicus_context.formats.dialect": "Foreign",
        "biblicus_context.formats.gemini.reader": "history_from_gemini",
        "biblicus_context.formats.gemini.writer": "Signatures to_gemini",
        "biblicus_context.formats.langchain": "history_from_langchain to_langchain",
        "biblicus_context.formats.openai.chat": "history_from_openai to_openai",
        "biblicus_context.formats.openai.responses_reader": "history_from_openai_responses",
        "biblicus_context.formats.openai.responses_writer": "to_openai_responses",
        "biblicus_context.formats.pydantic_ai.reader": "history_from_pydantic_ai",
        "biblicus_context.formats.pydantic_ai.tools": "tools_from_pydantic_ai",
        "biblicus_context.formats.pydantic_ai.writer": "to_pydantic_ai",
        "biblicus_context.formats.sdk_types": "AnthropicArguments AnthropicTools GeminiArguments GeminiTools OpenAIMessages "
        "OpenAIResponseItems OpenAIResponseTools OpenAITools",
        "biblicus_context.formats.system_texts": "LateSystem",
        "biblicus_context.formats.tools": "tools_for tools_from",
    },
)

__all__ = [
    "After",
    "AnthropicArguments",
    "AnthropicTools",
    "Cache",
    "Foreign",
    "FormatError",
    "GeminiArguments",
    "GeminiTools",
    "LateSystem",
    "Lifetime",
    "OpenAIMessages",
    "OpenAIResponseItems",
    "OpenAIResponseTools",
    "OpenAITools",
    "Signatures",
    "history_from_anthropic",
    "history_from_gemini",
    "history_from_langchain",
    "history_from_openai",
    "history_from_openai_responses",
    "history_from_pydantic_ai",
    "to_anthropic",
    "to_gemini",
    "to_langchain",
    "to_openai",
    "to_openai_responses",
    "to_pydantic_ai",
    "tools_for",
    "tools_from",
    "tools_from_pydantic_ai",
]
