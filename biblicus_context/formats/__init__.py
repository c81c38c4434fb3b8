"""A result in the format of each provider, and a provider's conversation as a history."""

from importlib import import_module
from typing import TYPE_CHECKING

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
_MODULES = {
    "errors": "FormatError",
    "formats.anthropic.reader": "history_from_anthropic",
    "formats.anthropic.writer": "to_anthropic",
    "formats.cache_marks": "After Cache Lifetime",
    "formats.dialect": "Foreign",
    "formats.gemini.reader": "history_from_gemini",
    "formats.gemini.writer": "Signatures to_gemini",
    "formats.langchain": "history_from_langchain to_langchain",
    "formats.openai.chat": "history_from_openai to_openai",
    "formats.openai.responses_reader": "history_from_openai_responses",
    "formats.openai.responses_writer": "to_openai_responses",
    "formats.pydantic_ai.reader": "history_from_pydantic_ai",
    "formats.pydantic_ai.tools": "tools_from_pydantic_ai",
    "formats.pydantic_ai.writer": "to_pydantic_ai",
    "formats.sdk_types": "AnthropicArguments AnthropicTools GeminiArguments GeminiTools OpenAIMessages "
    "OpenAIResponseItems OpenAIResponseTools OpenAITools",
    "formats.system_texts": "LateSystem",
    "formats.tools": "tools_for tools_from",
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names.split()}

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


def __getattr__(name: str) -> object:
    """Import the module of a name when it is first used."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"biblicus_context.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
