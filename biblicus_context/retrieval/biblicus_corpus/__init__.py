"""Packs from a Biblicus corpus, where the `biblicus` package is installed."""

from biblicus_context.retrieval.biblicus_corpus.library import BiblicusCorpus
from biblicus_context.retrieval.biblicus_corpus.retrieve import retrieve_context_pack

__all__ = ["BiblicusCorpus", "retrieve_context_pack"]
