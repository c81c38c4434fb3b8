"""A result in the format of each provider, and a provider's conversation as a history."""

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
from biblicus_context.formats.system_texts import LateSystem
from biblicus_context.formats.tools import tools_for, tools_from

__all__ = [
    "After",
    "Cache",
    "Foreign",
    "FormatError",
    "LateSystem",
    "Lifetime",
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
