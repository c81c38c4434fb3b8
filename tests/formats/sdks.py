"""The official SDKs, and what their own types make of something that is to be sent."""

from __future__ import annotations

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # some warn of themselves where they are compiled first
    import anthropic
    import openai
    from google import genai

import anthropic.types
import openai.types.chat
import openai.types.responses
from google.genai import types as gemini
from langchain_core import messages as langchain
from pydantic import TypeAdapter
from pydantic_ai import messages as pydantic_ai

from tests.formats.settled import accepted

__all__ = ["accepted", "anthropic", "gemini", "genai", "langchain", "openai", "pydantic_ai"]

CHAT = TypeAdapter(list[openai.types.chat.ChatCompletionMessageParam])
CHAT_TOOLS = TypeAdapter(list[openai.types.chat.ChatCompletionToolUnionParam])
RESPONSES = TypeAdapter(openai.types.responses.ResponseInputParam)
RESPONSES_TOOLS = TypeAdapter(list[openai.types.responses.ToolParam])
ANTHROPIC = TypeAdapter(list[anthropic.types.MessageParam])
ANTHROPIC_SYSTEM = TypeAdapter(list[anthropic.types.TextBlockParam])
ANTHROPIC_TOOLS = TypeAdapter(list[anthropic.types.ToolParam])
GEMINI = TypeAdapter(list[gemini.Content])
GEMINI_TOOLS = TypeAdapter(list[gemini.Tool])
PYDANTIC_AI = pydantic_ai.ModelMessagesTypeAdapter
