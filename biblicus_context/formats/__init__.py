"""A result in the format of each provider, and a provider's conversation as a history."""

from typing import TYPE_CHECKING

from biblicus_context.base.exports import exports

if TYPE_CHECKING:
    from biblicus_context.formats.anthropic.reader import (
        history_from_anthropic as history_from_anthropic,
    )
    from biblicus_context.formats.anthropic.writer import to_anthropic as to_anthropic
    from biblicus_context.formats.any_client import (
        history_from_any_client as history_from_any_client,
    )
    from biblicus_context.formats.cache_marks import (
        CacheLifetime as CacheLifetime,
        CacheMarks as CacheMarks,
        MarkAfter as MarkAfter,
    )
    from biblicus_context.formats.dialect import ForeignParts as ForeignParts
    from biblicus_context.formats.gemini.reader import history_from_gemini as history_from_gemini
    from biblicus_context.formats.gemini.writer import (
        ToolSignatures as ToolSignatures,
        to_gemini as to_gemini,
    )
    from biblicus_context.formats.langchain import (
        history_from_langchain as history_from_langchain,
        to_langchain as to_langchain,
    )
    from biblicus_context.formats.openai.chat import (
        history_from_openai as history_from_openai,
        to_openai as to_openai,
    )
    from biblicus_context.formats.openai.responses_reader import (
        history_from_openai_responses as history_from_openai_responses,
    )
    from biblicus_context.formats.openai.responses_writer import (
        to_openai_responses as to_openai_responses,
    )
    from biblicus_context.formats.pydantic_ai.reader import (
        history_from_pydantic_ai as history_from_pydantic_ai,
    )
    from biblicus_context.formats.pydantic_ai.tools import (
        tools_from_pydantic_ai as tools_from_pydantic_ai,
    )
    from biblicus_context.formats.pydantic_ai.writer import to_pydantic_ai as to_pydantic_ai
    from biblicus_context.formats.sdk_types import (
        AnthropicArguments as AnthropicArguments,
        AnthropicTools as AnthropicTools,
        GeminiArguments as GeminiArguments,
        GeminiTools as GeminiTools,
        OpenAIMessages as OpenAIMessages,
        OpenAIResponseItems as OpenAIResponseItems,
        OpenAIResponseTools as OpenAIResponseTools,
        OpenAITools as OpenAITools,
    )
    from biblicus_context.formats.system_texts import LateSystemMessages as LateSystemMessages
    from biblicus_context.formats.tools import (
        ToolProvider as ToolProvider,
        Tools as Tools,
        tools_for as tools_for,
        tools_from as tools_from,
    )
else:
    # Every result knows its formats, few calls need one, and all of them are a tenth of the time to a
    # first result.
    __getattr__, __dir__, __all__ = exports(
        __name__,
        {
            "anthropic.reader": "history_from_anthropic",
            "anthropic.writer": "to_anthropic",
            "any_client": "history_from_any_client",
            "cache_marks": "MarkAfter CacheMarks CacheLifetime",
            "dialect": "ForeignParts",
            "gemini.reader": "history_from_gemini",
            "gemini.writer": "ToolSignatures to_gemini",
            "langchain": "history_from_langchain to_langchain",
            "openai.chat": "history_from_openai to_openai",
            "openai.responses_reader": "history_from_openai_responses",
            "openai.responses_writer": "to_openai_responses",
            "pydantic_ai.reader": "history_from_pydantic_ai",
            "pydantic_ai.tools": "tools_from_pydantic_ai",
            "pydantic_ai.writer": "to_pydantic_ai",
            "sdk_types": "AnthropicArguments AnthropicTools GeminiArguments GeminiTools "
            "OpenAIMessages OpenAIResponseItems OpenAIResponseTools OpenAITools",
            "system_texts": "LateSystemMessages",
            "tools": "ToolProvider Tools tools_for tools_from",
        },
    )
