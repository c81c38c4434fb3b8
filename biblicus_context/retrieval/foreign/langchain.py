"""Retrievers of LangChain, and any Runnable that takes a query and returns documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from biblicus_context.retrieval.foreign.adapter import ForeignRetriever


@dataclass(frozen=True)
class LangChainAdapter(ForeignRetriever):
    """Passes the number of documents to retrievers over vector stores; others have one of their own."""

    retriever: Any

    def found(self, query: str, most: int) -> Any:
        """What `invoke` returns."""
        return self.retriever.invoke(query, **self._number(most))

    async def afound(self, query: str, most: int) -> Any:
        """What `ainvoke` returns."""
        return await self.retriever.ainvoke(query, **self._number(most))

    def _number(self, most: int) -> dict[str, int]:
        # `search_kwargs` is the documented field of retrievers over vector stores, and arguments of
        # `invoke` take precedence over it. Other Runnables may refuse an argument they do not know.
        return {"k": most} if hasattr(self.retriever, "search_kwargs") else {}
