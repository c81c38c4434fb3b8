"""Folders of files as searchable evidence, and retrievers over them."""

from biblicus_context.corpora.corpus import LOCAL, Corpus
from biblicus_context.corpora.errors import NotIndexedError, OtherEmbedderError, OtherRootError
from biblicus_context.corpora.evidence import Evidence, RankedBlock
from biblicus_context.corpora.retriever import CorpusRetriever
from biblicus_context.corpora.search.query import SearchQuery
from biblicus_context.corpora.search.rankers.registry import RetrieverKind
from biblicus_context.spec.retriever_settings import SearchSpec

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
