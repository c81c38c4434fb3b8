"""mem0 with a local FAISS index; texts are stored as they are, without a language model."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

os.environ |= {"MEM0_TELEMETRY": "False", "OPENAI_API_KEY": "not used"}

from benchmarks.memories.child import main
from benchmarks.memories.filling import filled
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
    """`top_k` absent: mem0's own default, whatever that takes of the budget."""

    def __init__(self, folder: Path, top_k: int | None) -> None:
        os.environ["MEM0_DIR"] = str(folder / "settings")
        from mem0 import Memory as Store  # reads the environment when it is imported

        self._top_k = top_k
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

    def remember(self, memories: Sequence[Memory]) -> None:
        for memory in memories:
            said = [{"role": "user", "content": memory.text}]
            self._store.add(said, user_id=memory.owner or "nobody", infer=False)

    def context(self, question: Question, budget: int) -> Context:
        wanted = {} if self._top_k is None else {"top_k": self._top_k, "threshold": 0.0}
        filters = {"user_id": question.owner or "nobody"}
        found = self._store.search(question.text, filters=filters, **wanted)["results"]
        memories = [each["memory"] for each in found]
        if self._top_k is None:
            return Context(BETWEEN.join(memories))
        return Context(filled(memories, budget))


VARIANTS = {
    "its default of 20": lambda folder: Mem0(folder, None),
    "filled to the budget": lambda folder: Mem0(folder, MOST),
}

if __name__ == "__main__":
    main(VARIANTS)
