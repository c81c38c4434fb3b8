"""A corpus as a retriever of LangChain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from biblicus_context.corpora.outward.found_text import FoundText, OutwardSearch
from biblicus_context.errors import MissingExtraError

if TYPE_CHECKING:
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever


def langchain_retriever(search: OutwardSearch) -> BaseRetriever:
    """A `BaseRetriever`, for chains, agents and `EnsembleRetriever`."""
    try:
        from langchain_core.documents import Document  # an optional library
        from langchain_core.retrievers import BaseRetriever
    except ImportError as error:
        raise MissingExtraError("langchain-core", "langchain") from error

    def document(found: FoundText) -> Document:
        return Document(page_content=found.text, metadata=found.metadata, id=found.id)

    class CorpusAsLangChain(BaseRetriever):
        """Searches a corpus."""

        def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
            return [*map(document, search.found(query))]

        async def _aget_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
            return [*map(document, await search.afound(query))]

    return CorpusAsLangChain()
