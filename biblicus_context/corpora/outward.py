"""A corpus as a retriever of other libraries: LangChain, LlamaIndex, Haystack."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from biblicus_context.corpora.retriever import CorpusRetriever
from biblicus_context.errors import InputError, MissingExtraError
from biblicus_context.retrieval.packs.facts import facts_of
from biblicus_context.retrieval.packs.pack import ContextPackBlock
from biblicus_context.retrieval.requests.request import ContextRetrieverRequest

if TYPE_CHECKING:  # each function imports its library, under the name that it has there
    from langchain_core.retrievers import BaseRetriever as LangChainRetriever
    from llama_index.core.retrievers import BaseRetriever as LlamaIndexRetriever
    from llama_index.core.schema import QueryBundle


class FoundText(NamedTuple):
    """One hit."""

    id: str
    text: str
    score: float | None
    metadata: dict[str, Any]


@dataclass(frozen=True)
class OutwardSearch:
    """A retriever over a corpus with a number of hits, as other libraries ask for them."""

    retriever: CorpusRetriever
    limit: int = 5
    max_tokens: int | None = None

    def __post_init__(self) -> None:
        if type(self.limit) is not int or self.limit < 1:
            raise InputError("limit must be at least 1", place="limit", found=self.limit)

    def found(self, query: str) -> list[FoundText]:
        """The hits of a query, best first; as many as fill `max_tokens`, where that is set."""
        request = ContextRetrieverRequest(query=query, limit=self.limit, max_tokens=self.max_tokens)
        return [*map(_found, self.retriever(request).blocks)]

    async def afound(self, query: str) -> list[FoundText]:
        """The same in a thread, as a search computes for some milliseconds."""
        import asyncio  # a tenth of a start, and few programs are asynchronous

        return await asyncio.to_thread(self.found, query)


def _found(block: ContextPackBlock) -> FoundText:
    return FoundText(block.evidence_item_id, block.text, block.score, dict(_metadata(block)))


def _metadata(block: ContextPackBlock) -> Iterator[tuple[str, Any]]:
    """Its own, and where it comes from; what is not known is left out."""
    yield from (block.metadata or {}).items()
    facts = facts_of(block)
    known = {
        "source": block.source,
        "title": facts.title,
        "heading": " > ".join(facts.heading),
        "lines": list(facts.lines) if facts.lines else None,
        "score": block.score,
    }
    yield from ((name, value) for name, value in known.items() if value not in (None, ""))


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


def langchain_retriever(search: OutwardSearch) -> LangChainRetriever:
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


def llama_index_retriever(search: OutwardSearch) -> LlamaIndexRetriever:
    """A `BaseRetriever`, for query engines and `QueryFusionRetriever`."""
    try:
        from llama_index.core.retrievers import BaseRetriever  # an optional library
        from llama_index.core.schema import NodeWithScore, TextNode
    except ImportError as error:
        raise MissingExtraError("llama-index-core", "llama-index") from error

    def node(found: FoundText) -> NodeWithScore:
        text = TextNode(id_=found.id, text=found.text, metadata=found.metadata)
        # A model is to read the text, as a pack has it, and not how well it matched.
        text.excluded_llm_metadata_keys = ["score"]
        return NodeWithScore(node=text, score=found.score)

    class CorpusAsLlamaIndex(BaseRetriever):
        """Searches a corpus."""

        def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
            return [*map(node, search.found(query_bundle.query_str))]

        async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
            return [*map(node, await search.afound(query_bundle.query_str))]

    return CorpusAsLlamaIndex()
