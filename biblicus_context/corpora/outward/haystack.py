"""A corpus as a component of Haystack."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from biblicus_context.corpora.outward.found_text import FoundText, OutwardSearch
from biblicus_context.errors import MissingExtraError

if TYPE_CHECKING:
    from haystack import Document


def haystack_retriever(search: OutwardSearch) -> Any:
    """A component with an input `query` and an output `documents`, for pipelines."""
    try:
        from haystack import Document, component  # an optional library
    except ImportError as error:
        raise MissingExtraError("haystack-ai", "haystack") from error

    def document(found: FoundText) -> Document:
        return Document(id=found.id, content=found.text, meta=found.metadata, score=found.score)

    @component
    class CorpusAsHaystack:
        """Searches a corpus."""

        # Strings would not do: a pipeline compares the types of what is connected.
        @component.output_types(documents=list[Document])
        def run(self, query: str) -> dict[str, list[Document]]:
            return {"documents": [*map(document, search.found(query))]}

        @component.output_types(documents=list[Document])
        async def run_async(self, query: str) -> dict[str, list[Document]]:
            return {"documents": [*map(document, await search.afound(query))]}

    return CorpusAsHaystack()
