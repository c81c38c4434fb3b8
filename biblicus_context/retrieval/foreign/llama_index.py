"""Retrievers of LlamaIndex."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

from biblicus_context.retrieval.foreign.adapter import ForeignRetriever


@dataclass(frozen=True)
class LlamaIndexAdapter(ForeignRetriever):
    """Sets `similarity_top_k`, where the retriever has it, on a copy: the caller's stays as it is."""

    retriever: Any

    @property
    def is_async(self) -> bool:
        """Whether its author wrote `_aretrieve`; that of the base class blocks the event loop."""
        kind = type(self.retriever)
        return _definer(kind, "_aretrieve") is not _definer(kind, "aretrieve")

    def found(self, query: str, most: int) -> Any:
        """What `retrieve` returns."""
        return self._returning(most).retrieve(query)

    async def afound(self, query: str, most: int) -> Any:
        """What `aretrieve` returns."""
        return await self._returning(most).aretrieve(query)

    def _returning(self, most: int) -> Any:
        if getattr(self.retriever, "similarity_top_k", None) in (None, most):
            return self.retriever
        own = copy.copy(self.retriever)
        own.similarity_top_k = most
        return own


def _definer(kind: type, method: str) -> type | None:
    return next((each for each in kind.__mro__ if method in vars(each)), None)
