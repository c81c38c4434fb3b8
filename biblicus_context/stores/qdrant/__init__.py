"""Stores on a Qdrant server: a log of writes as points without vectors, which each process follows."""

from biblicus_context.stores.qdrant.store import QdrantStore, open_qdrant

__all__ = ["QdrantStore", "open_qdrant"]
