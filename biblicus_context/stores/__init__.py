"""Stores: where documents, blocks and embeddings live, and how they are found again."""

from biblicus_context.stores.answers import (
    Bm25,
    Direction,
    Hit,
    Info,
    Layout,
    Nearby,
    Place,
    Ranked,
    Related,
    Search,
    TermCounts,
    Usage,
    VectorCount,
)
from biblicus_context.stores.errors import StoreError, VersionGoneError
from biblicus_context.stores.filters import NO_FILTERS, Filters
from biblicus_context.stores.model import (
    Batch,
    Block,
    Document,
    Entry,
    Json,
    Metadata,
    Relation,
    Vectors,
)
from biblicus_context.stores.principal import EVERYBODY, Principal, Readers
from biblicus_context.stores.store import Reads, Store, Writes

__all__ = [
    "EVERYBODY",
    "NO_FILTERS",
    "Batch",
    "Block",
    "Bm25",
    "Direction",
    "Document",
    "Entry",
    "Filters",
    "Hit",
    "Info",
    "Json",
    "Layout",
    "Metadata",
    "Nearby",
    "Place",
    "Principal",
    "Ranked",
    "Readers",
    "Reads",
    "Related",
    "Relation",
    "Search",
    "Store",
    "StoreError",
    "TermCounts",
    "Usage",
    "VectorCount",
    "Vectors",
    "VersionGoneError",
    "Writes",
]
