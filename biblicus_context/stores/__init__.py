"""Stores: where documents, blocks and embeddings live, and how they are found again."""

from biblicus_context.stores.errors import StoreError, VersionGoneError
from biblicus_context.stores.filter_conditions import Between, Equals, OneOf, TimeRange
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
from biblicus_context.stores.results import (
    Action,
    Activity,
    BlockPlace,
    Bm25,
    Direction,
    Hit,
    Info,
    Layout,
    Nearby,
    Ranked,
    Related,
    Search,
    Sibling,
    TermCounts,
    Usage,
    VectorCount,
    WorkspaceState,
)
from biblicus_context.stores.searching import related_documents, search_text, search_vectors
from biblicus_context.stores.store import Reads, Store, Writes
from biblicus_context.stores.trees import Trees

__all__ = [
    "EVERYBODY",
    "NO_FILTERS",
    "Action",
    "Activity",
    "Batch",
    "Between",
    "Block",
    "BlockPlace",
    "Bm25",
    "Direction",
    "Document",
    "Entry",
    "Equals",
    "Filters",
    "Hit",
    "Info",
    "Json",
    "Layout",
    "Metadata",
    "Nearby",
    "OneOf",
    "Principal",
    "Ranked",
    "Readers",
    "Reads",
    "Related",
    "Relation",
    "Search",
    "Sibling",
    "Store",
    "StoreError",
    "TermCounts",
    "TimeRange",
    "Trees",
    "Usage",
    "VectorCount",
    "Vectors",
    "VersionGoneError",
    "WorkspaceState",
    "Writes",
    "related_documents",
    "search_text",
    "search_vectors",
]
