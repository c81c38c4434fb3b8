"""Folders of files as searchable evidence, and retrievers over them."""

from typing import TYPE_CHECKING

from biblicus_context.base.deferred import exports

if TYPE_CHECKING:
    from biblicus_context.corpora.corpus import LOCAL, Corpus
    from biblicus_context.corpora.errors import NotIndexedError, OtherEmbedderError, OtherRootError
    from biblicus_context.corpora.evidence import Evidence, RankedBlock
    from biblicus_context.corpora.retriever import CorpusRetriever
    from biblicus_context.corpora.search.query import SearchQuery
    from biblicus_context.corpora.search.rankers.registry import RetrieverKind
    from biblicus_context.spec.retriever_settings import SearchSpec

# The settings of retrievers are checked without a store and a search.
__getattr__, __dir__ = exports(
    __name__,
    {
        "biblicus_context.corpora.corpus": "LOCAL Corpus",
        "biblicus_context.corpora.errors": "NotIndexedError OtherEmbedderError OtherRootError",
        "biblicus_context.corpora.evidence": "Evidence RankedBlock",
        "biblicus_context.corpora.retriever": "CorpusRetriever",
        "biblicus_context.corpora.search.query": "SearchQuery",
        "biblicus_context.corpora.search.rankers.registry": "RetrieverKind",
        "biblicus_context.spec.retriever_settings": "SearchSpec",
    },
)

__all__ = [
    "LOCAL",
    "Corpus",
    "CorpusRetriever",
    "Evidence",
    "NotIndexedError",
    "OtherEmbedderError",
    "OtherRootError",
    "RankedBlock",
    "RetrieverKind",
    "SearchQuery",
    "SearchSpec",
]
