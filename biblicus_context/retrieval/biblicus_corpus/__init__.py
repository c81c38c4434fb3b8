"""Packs from a Biblicus corpus, where the `biblicus` package is installed."""

from biblicus_context.retrieval.biblicus_corpus.asking import retrieve_context_pack
from biblicus_context.retrieval.biblicus_corpus.protocols import BiblicusCorpus

__all__ = ["BiblicusCorpus", "retrieve_context_pack"]
