"""llama-index: its vector memory block over an embedded Qdrant."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.llms import ChatMessage
from llama_index.core.memory import VectorMemoryBlock
from llama_index.core.schema import TextNode
from llama_index.vector_stores.qdrant import QdrantVectorStore
from qdrant_client import AsyncQdrantClient

from benchmarks.memories.child import main
from benchmarks.memories.filling import filled
from benchmarks.memories.static_model import embedded
from benchmarks.memories.work import Context

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from benchmarks.memories.work import Memory, Question

MOST = 400
BETWEEN_NODES = "\n\n"


class _Embedding(BaseEmbedding):
    def _get_text_embedding(self, text: str) -> list[float]:
        return embedded([text])[0]

    def _get_query_embedding(self, query: str) -> list[float]:
        return embedded([query])[0]

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return embedded([query])[0]


class VectorBlock:
    """One block for each owner's session; `top_k` absent: llama-index's own default."""

    def __init__(self, folder: Path, top_k: int | None) -> None:
        self._top_k = top_k
        self._loop = asyncio.new_event_loop()
        wanted = {} if top_k is None else {"similarity_top_k": top_k}
        self._make = lambda: VectorMemoryBlock(
            vector_store=self._store, embed_model=_Embedding(), retrieval_context_window=1, **wanted
        )
        client = AsyncQdrantClient(path=str(folder / "qdrant"))
        self._store: Any = QdrantVectorStore("memories", aclient=client, batch_size=512)

    def remember(self, memories: Sequence[Memory]) -> None:
        block = self._make()
        vectors = embedded([memory.text for memory in memories])
        # Its `aput` stores one message at a time, each in a transaction of its own.
        nodes = [
            TextNode(text=memory.text, metadata={"session_id": memory.owner}, embedding=vector)
            for memory, vector in zip(memories, vectors, strict=True)
        ]
        self._loop.run_until_complete(block.vector_store.async_add(nodes))

    def context(self, question: Question, budget: int) -> Context:
        asked = [ChatMessage(role="user", content=question.text)]
        block = self._make()  # a block keeps the session of its first question
        found = self._loop.run_until_complete(block.aget(asked, session_id=question.owner))
        if self._top_k is None:
            return Context(found)
        return Context(filled(found.split(BETWEEN_NODES), budget))


VARIANTS = {
    "its default of 2": lambda folder: VectorBlock(folder, None),
    "filled to the budget": lambda folder: VectorBlock(folder, MOST),
}

if __name__ == "__main__":
    main(VARIANTS)
