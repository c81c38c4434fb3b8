"""Folders of files as searchable evidence, and the retrievers that are declared over them."""

from biblicus_context.corpora.corpus import LOCAL, Corpus
from biblicus_context.corpora.errors import NotIndexedError
from biblicus_context.corpora.evidence import Evidence
from biblicus_context.corpora.retriever import CorpusRetriever

__all__ = ["LOCAL", "Corpus", "CorpusRetriever", "Evidence", "NotIndexedError"]
