"""mem0 with a local FAISS index; texts are stored as they are, without a language model."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from hashlib import md5
from time import perf_counter
from typing import TYPE_CHECKING, Any

os.environ |= {"MEM0_TELEMETRY": "False", "OPENAI_API_KEY": "not used"}

from benchmarks.memories.child import main
from benchmarks.memories.filling import ADDING_SECONDS, filled
from benchmarks.memories.static_model import DIMENSIONS, embedded
from benchmarks.memories.work import BETWEEN, Context

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from benchmarks.memories.work import Memory, Question

MOST = 400


class _Embedder:
    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        return embedded([text])[0]

    def embed_batch(
        self, texts: Sequence[str], memory_action: str | None = None
    ) -> list[list[float]]:
        return embedded(texts)


class Mem0:
    """Each owner is a user."""

    def __init__(self, folder: Path) -> None:
        os.environ["MEM0_DIR"] = str(folder / "settings")
        from mem0 import Memory as Store  # reads the environment when it is imported

        self._store: Any = Store.from_config(
            {
                "vector_store": {
                    "provider": "faiss",
                    "config": {
                        "path": str(folder / "faiss"),
                        "collection_name": "memories",
                        "embedding_model_dims": DIMENSIONS,
                    },
                },
                "history_db_path": str(folder / "history.db"),
            }
        )
        self._store.embedding_model = _Embedder()

    def remember(self, memories: Sequence[Memory]) -> int:
        began = perf_counter()
        own = 0
        for memory in memories:
            if perf_counter() - began > ADDING_SECONDS:
                break
            said = [{"role": "user", "content": memory.text}]
            self._store.add(said, user_id=memory.owner or "nobody", infer=False)
            own += 1
        self._store_at_once(memories[own:])
        return own

    def _store_at_once(self, memories: Sequence[Memory]) -> None:
        """What `add` writes of each memory, in one call of its vector store."""
        if not memories:
            return
        now = datetime.now(UTC).isoformat()
        payloads = [
            {
                "user_id": memory.owner or "nobody",
                "role": "user",
                "data": memory.text,
                "hash": md5(memory.text.encode(), usedforsecurity=False).hexdigest(),
                "created_at": now,
                "updated_at": now,
            }
            for memory in memories
        ]
        vectors = embedded([memory.text for memory in memories])
        self._store.vector_store.insert(vectors=vectors, payloads=payloads)

    def context(self, question: Question, budget: int) -> Context:
        """With its own number of memories, whatever that takes of the budget."""
        return Context(BETWEEN.join(self._found(question)))

    def filled(self, question: Question, budget: int) -> Context:
        """With as many as fit."""
        return Context(filled(self._found(question, top_k=MOST, threshold=0.0), budget))

    def _found(self, question: Question, **options: Any) -> list[str]:
        filters = {"user_id": question.owner or "nobody"}
        found = self._store.search(question.text, filters=filters, **options)["results"]
        return [each["memory"] for each in found]


if __name__ == "__main__":
    main(Mem0, {"its default of 20": Mem0.context, "filled to the budget": Mem0.filled})
