"""Stores: where documents, blocks and embeddings live, and how they are found again."""

from biblicus_context.stores.addresses import is_address, place_below
from biblicus_context.stores.checks import (
    LARGEST,
    known as checked_principal,
    name as checked_name,
    sequence as checked_sequence,
)
from biblicus_context.stores.errors import (
    AnswerLostError,
    StillReadError,
    StoreError,
    VersionConflictError,
    VersionGoneError,
)
from biblicus_context.stores.filter_conditions import Between, Comparison, Equals, OneOf, TimeRange
from biblicus_context.stores.filters import NO_FILTERS, Filters
from biblicus_context.stores.found import Ahead, Found, FoundAround, FoundNames, SearchRequest
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
from biblicus_context.stores.principal import EVERYBODY, NOBODY, Principal, Readers
from biblicus_context.stores.ranking.memory import limit_memory
from biblicus_context.stores.remembered import REMEMBERED, VALUES, kept_keys, key_start
from biblicus_context.stores.results import (
    Action,
    Activity,
    BlockPlace,
    Bm25,
    Direction,
    DocumentTree,
    EvidenceRow,
    Hit,
    Info,
    Nearby,
    Related,
    Search,
    Sibling,
    TermCounts,
    Usage,
    VectorCount,
    WorkspaceState,
)
from biblicus_context.stores.retrying import retried
from biblicus_context.stores.searching import named, search_text, search_vectors, text_hits
from biblicus_context.stores.store import Store
from biblicus_context.stores.travelling import Expected
from biblicus_context.stores.view import MOST_LEVELS, View, require_ranking
from biblicus_context.stores.words import Stems, stems_of

__all__ = [
    "EVERYBODY",
    "LARGEST",
    "MOST_LEVELS",
    "NOBODY",
    "NO_FILTERS",
    "REMEMBERED",
    "VALUES",
    "Action",
    "Activity",
    "Ahead",
    "AnswerLostError",
    "Batch",
    "Between",
    "Block",
    "BlockPlace",
    "Bm25",
    "Comparison",
    "Direction",
    "Document",
    "DocumentTree",
    "Entry",
    "Equals",
    "EvidenceRow",
    "Expected",
    "Filters",
    "Found",
    "FoundAround",
    "FoundNames",
    "Hit",
    "Info",
    "Json",
    "Metadata",
    "Nearby",
    "OneOf",
    "Principal",
    "Readers",
    "Related",
    "Relation",
    "Search",
    "SearchRequest",
    "Sibling",
    "Stems",
    "StillReadError",
    "Store",
    "StoreError",
    "TermCounts",
    "TimeRange",
    "Usage",
    "VectorCount",
    "Vectors",
    "VersionConflictError",
    "VersionGoneError",
    "View",
    "WorkspaceState",
    "checked_name",
    "checked_principal",
    "checked_sequence",
    "is_address",
    "kept_keys",
    "key_start",
    "limit_memory",
    "named",
    "place_below",
    "require_ranking",
    "retried",
    "search_text",
    "search_vectors",
    "stems_of",
    "text_hits",
]
