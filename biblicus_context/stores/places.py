"""Stores by the place where they are, a folder or an address: what opens and removes them."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

from biblicus_context.base.connections import connection_url
from biblicus_context.base.deferred import Deferred
from biblicus_context.base.file_locks import held_with_others, is_held
from biblicus_context.errors import MissingExtraError
from biblicus_context.spec.retriever_settings import QdrantSpec, SqlSpec
from biblicus_context.stores import qdrant
from biblicus_context.stores.addresses import QDRANT, SCHEMES, Address
from biblicus_context.stores.marker import MARKER
from biblicus_context.stores.postgres import opened
from biblicus_context.stores.postgres.embedded import EmbeddedPostgres
from biblicus_context.stores.sqlite import has_content, is_folder, open_store
from biblicus_context.stores.sqlite.files import removal
from biblicus_context.stores.sqlite.store import KEEP_SECONDS
from biblicus_context.stores.store import Store
from biblicus_context.stores.tables import Table

__all__ = [
    "embedded_server",
    "filling",
    "has_content",
    "is_filled_now",
    "is_folder",
    "open_collection",
    "open_place",
    "open_table",
    "remove_place",
    "require_removable",
]

_TABLE: Final = Deferred("biblicus_context.stores.postgres.tables.table:PostgresTable")
_COLLECTION: Final = Deferred("biblicus_context.stores.qdrant.collection:CollectionTable")
"""psycopg is optional."""


def open_place(
    place: str | os.PathLike[str] | Address,
    *,
    create: bool = True,
    keep_seconds: float = KEEP_SECONDS,
) -> Store:
    """Open the store at a place, or make one there; what is removed stays readable so long.

    At an address it is one collection of a store: closing it closes the store.
    """
    if not isinstance(place, Address):
        return open_store(place, create=create, keep_seconds=keep_seconds)
    url = connection_url(place.server, SCHEMES, place="store")
    if url.startswith(tuple(f"{each}://" for each in QDRANT)):
        return qdrant.open_qdrant(url, keep_seconds=keep_seconds).collection(place.collection)
    name = place.server if place.server.startswith("connection:") else None
    store = opened(url, name=name, create=create, keep_seconds=keep_seconds)
    return store.collection(place.collection)


def open_table(spec: SqlSpec, url: str, *, place: str) -> Table:
    """A table that people already have, in the database of a URL."""
    try:
        table: Table = _TABLE(spec, url, place=place)
    except ModuleNotFoundError as error:
        raise MissingExtraError("psycopg", "postgres") from error
    return table


def open_collection(spec: QdrantSpec, url: str, *, place: str) -> Table:
    """A collection that people already have, on the Qdrant server of a URL."""
    table: Table = _COLLECTION(spec, url, place=place)
    return table


def embedded_server(folder: Path) -> EmbeddedPostgres:
    """A server in a folder, to try a store."""
    return EmbeddedPostgres(folder)


def filling(place: Path) -> AbstractContextManager[None]:
    """While an ingest fills a store; it ends with the process, also with one that is killed."""
    return held_with_others(place / MARKER)


def is_filled_now(place: Path) -> bool | None:
    """Whether an ingest fills a store at this moment; None where nobody can tell."""
    return is_held(place / MARKER)


def require_removable(place: Path) -> None:
    """Refuse a place that is not a store, or has other files."""
    removal.require_alone(place)


def remove_place(place: Path) -> None:
    """Remove the store at a place with all its workspaces, unless there are other files."""
    removal.remove(place)
