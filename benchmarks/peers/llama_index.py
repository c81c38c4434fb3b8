"""llama-index: its two chat memories, told how many tokens the instructions leave for history."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from llama_index.core.llms import ChatMessage
from llama_index.core.memory import ChatMemoryBuffer, Memory

from benchmarks.child import main
from benchmarks.measuring import Library
from benchmarks.messages import Message
from benchmarks.peers.counters import ids

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.workloads import Work

FLUSH_RATIO = 0.05
"""What `Memory` drops at a time: less fills the budget better and takes longer."""


def chat_memory_buffer(work: Work) -> Callable[[], list[ChatMessage]]:
    """The buffer already holds the conversation; `get` cuts it."""
    instructions = _instructions(work)
    said = [*map(_to_chat, work.history), ChatMessage(role="user", content=work.question)]
    memory = ChatMemoryBuffer.from_defaults(
        chat_history=said, token_limit=work.budget, tokenizer_fn=ids
    )

    def call() -> list[ChatMessage]:
        return [instructions, *memory.get(initial_token_count=len(ids(instructions.content)))]

    return call


def memory(work: Work) -> Callable[[], list[ChatMessage]]:
    """The store already holds the conversation; putting the question makes `Memory` cut it."""
    instructions = _instructions(work)
    said = [_to_chat(message) for message in work.history]
    loop = asyncio.new_event_loop()
    store = Memory.from_defaults(tokenizer_fn=ids).sql_store
    loop.run_until_complete(store.set_messages(SESSION, said))

    async def assemble() -> list[ChatMessage]:
        held = Memory.from_defaults(
            session_id=SESSION,
            chat_store=store,
            token_limit=work.budget - len(ids(instructions.content)),
            chat_history_token_ratio=1.0,
            token_flush_size=int(work.budget * FLUSH_RATIO),
            tokenizer_fn=ids,
        )
        await held.aput(ChatMessage(role="user", content=work.question))
        return [instructions, *await held.aget()]

    return lambda: loop.run_until_complete(assemble())


SESSION = "conversation"


def sent(messages: list[ChatMessage]) -> list[Message]:
    return [Message.from_dict(_to_dict(message)) for message in messages]


def _instructions(work: Work) -> ChatMessage:
    return ChatMessage(role="system", content=work.instructions())


def _to_chat(message: Message) -> ChatMessage:
    told = message.as_dict()
    return ChatMessage(role=told.pop("role"), content=told.pop("content"), additional_kwargs=told)


def _to_dict(message: ChatMessage) -> dict[str, Any]:
    return {
        "role": message.role.value,
        "content": message.content,
        **message.additional_kwargs,
    }


VARIANTS = {
    "ChatMemoryBuffer": Library(chat_memory_buffer, sent),
    "Memory": Library(memory, sent),
}

if __name__ == "__main__":
    main(VARIANTS)
