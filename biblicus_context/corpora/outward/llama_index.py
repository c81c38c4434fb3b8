"""A corpus as a retriever of LlamaIndex."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biblicus_context.corpora.outward.found_text import FoundText, OutwardSearch
from biblicus_context.errors import MissingExtraError

if TYPE_CHECKING:
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeWithScore, QueryBundle


def llama_index_retriever(search: OutwardSearch) -> BaseRetriever:
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
