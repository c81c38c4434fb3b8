"""Retriever components of Haystack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from biblicus_context.errors import InputError
from biblicus_context.retrieval.foreign.adapter import ForeignRetriever


@dataclass(frozen=True)
class HaystackAdapter(ForeignRetriever):
    """Passes `top_k` to components that have this input."""

    retriever: Any

    def __post_init__(self) -> None:
        if "query" not in self.retriever.__haystack_input__:
            raise InputError(
                "this component of Haystack has no input 'query'",
                found=type(self.retriever).__name__,
                fix="Put an embedding retriever and its text embedder into a TextEmbeddingRetriever.",
            )

    @property
    def is_async(self) -> bool:
        """Whether the component has `run_async`."""
        return bool(getattr(self.retriever, "__haystack_supports_async__", False))

    def found(self, query: str, most: int) -> Any:
        """What `run` returns."""
        return self.retriever.run(**self._inputs(query, most))

    async def afound(self, query: str, most: int) -> Any:
        """What `run_async` returns."""
        return await self.retriever.run_async(**self._inputs(query, most))

    def warm_up(self) -> None:
        """Load what the component needs, if it says so."""
        if hasattr(self.retriever, "warm_up"):
            self.retriever.warm_up()

    def _inputs(self, query: str, most: int) -> dict[str, Any]:
        number = {"top_k": most} if "top_k" in self.retriever.__haystack_input__ else {}
        return {"query": query, **number}
