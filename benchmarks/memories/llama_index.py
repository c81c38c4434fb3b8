"""llama-index: its vector memory block over an embedded Qdrant."""

from __future__ import annotations

import asyncio
from time import perf_counter
from typing import TYPE_CHECKING, Any

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.llms import ChatMessage
from llama_index.core.memory import VectorMemoryBlock
from llama_index.core.schema import TextNode
from llama_index.vector_stores.qdrant import QdrantVectorStore
from qdrant_client import AsyncQdrantClient

from benchmarks.memories.child import main
from benchmarks.memories.filling import ADDING_SECONDS, filled
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
    """A block for each question, as a block keeps the session of its first one."""

    def __init__(self, folder: Path) -> None:
        self._loop = asyncio.new_event_loop()
        client = AsyncQdrantClient(path=str(folder / "qdrant"))
        self._store: Any = QdrantVectorStore("memories", aclient=client, batch_size=512)

    def remember(self, memories: Sequence[Memory]) -> int:
        began = perf_counter()
        own = 0
        for memory in memories:
            if perf_counter() - began > ADDING_SECONDS:
                break
            said = [ChatMessage(role="user", content=memory.text)]
            self._loop.run_until_complete(self._block().aput(said, session_id=memory.owner))
            own += 1
        rest = memories[own:]
        if rest:
            vectors = embedded([memory.text for memory in rest])
            nodes = [
                TextNode(text=memory.text, metadata={"session_id": memory.owner}, embedding=vector)
                for memory, vector in zip(rest, vectors, strict=True)
            ]
            self._loop.run_until_complete(self._store.async_add(nodes))
        return own

    def context(self, question: Question, budget: int) -> Context:
        """With its own number of memories, whatever that takes of the budget."""
        return Context(self._found(question))

    def filled(self, question: Question, budget: int) -> Context:
        """With as many as fit."""
        found = self._found(question, similarity_top_k=MOST)
        return Context(filled(found.split(BETWEEN_NODES), budget))

    def _found(self, question: Question, **options: Any) -> str:
        asked = [ChatMessage(role="user", content=question.text)]
        block = self._block(**options)
        found: str = self._loop.run_until_complete(block.aget(asked, session_id=question.owner))
        return found

    def _block(self, **options: Any) -> Any:
        return VectorMemoryBlock(
            vector_store=self._store,
            embed_model=_Embedding(),
            retrieval_context_window=1,
            **options,
        )


if __name__ == "__main__":
    main(
        VectorBlock,
        {"its default of 2": VectorBlock.context, "filled to the budget": VectorBlock.filled},
    )
