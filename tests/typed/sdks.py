"""What a result writes goes to the official SDKs without a cast, and so do its tools.

mypy reads this file in the gate; pyright was run on it by hand (`docs/provider-formats.md`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anthropic
import openai
from google import genai
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from langchain_core.retrievers import BaseRetriever
from langchain_openai import ChatOpenAI
from llama_index.core.retrievers import BaseRetriever as LlamaRetriever
from pydantic import BaseModel

from biblicus_context import (
    ContextAssembler,
    ContextAssemblyResult,
    ContextPack,
    ContextRetrieverRequest,
    Message,
    Receipt,
    Retriever,
)
from biblicus_context.formats import tools_for

TOOLS: list[dict[str, Any]] = [
    {"type": "function", "function": {"name": "track", "parameters": {"type": "object"}}}
]


def search(request: ContextRetrieverRequest) -> ContextPack | None:
    return None


async def asearch(request: ContextRetrieverRequest) -> list[str]:
    return [request.query]


def note(receipt: Receipt) -> None:
    print(receipt.used)


class Answer(BaseModel):
    text: str
    context: ContextAssemblyResult


def assembler(retriever: Retriever) -> ContextAssembler:
    return ContextAssembler(
        {"support": {"messages": []}},
        {"kb": search},
        default_retriever=retriever,
        counters={"letters": len},
        observers=[note],
        parallel=True,
    )


def assembled(history: list[Message]) -> ContextAssemblyResult:
    return assembler(asearch).assemble("support", history=history, inputs={"question": "Why?"})


def openai_chat(client: openai.OpenAI, result: ContextAssemblyResult) -> str | None:
    answer = client.chat.completions.create(
        model="gpt-4o", messages=result.to_openai(), tools=tools_for("openai", TOOLS)
    )
    return answer.choices[0].message.content


def openai_responses(client: openai.OpenAI, result: ContextAssemblyResult) -> str:
    answer = client.responses.create(
        model="gpt-4o",
        input=result.to_openai_responses(),
        tools=[*tools_for("openai_responses", TOOLS)],
    )
    return answer.output_text


async def anthropic_messages(
    client: anthropic.AsyncAnthropic, result: ContextAssemblyResult
) -> anthropic.types.Message:
    return await client.messages.create(
        model="claude-sonnet-4-5", max_tokens=1000, **result.to_anthropic(tools=TOOLS)
    )


def gemini(client: genai.Client, result: ContextAssemblyResult) -> str | None:
    answer = client.models.generate_content(model="gemini-2.5-pro", **result.to_gemini(tools=TOOLS))
    return answer.text


def retrievers(
    langchain: BaseRetriever, llama_index: LlamaRetriever, haystack: InMemoryBM25Retriever
) -> list[ContextAssembler]:
    return [assembler(langchain), assembler(llama_index), assembler(haystack)]


def langchain(model: ChatOpenAI, result: ContextAssemblyResult) -> object:
    return model.invoke(result.to_langchain())


def stored(answer: Answer) -> ContextAssemblyResult:
    return ContextAssemblyResult.from_json(answer.context.to_json())


def inputs(of: ContextAssembler) -> dict[str, str]:
    return {name: spec.type for name, spec in of.inputs("support").items()}


FUNCTIONS: list[Callable[..., object]] = [openai_chat, openai_responses, gemini, langchain]
