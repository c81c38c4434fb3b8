"""Where a store is, if it is not in a folder: on a server, in a collection of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

from biblicus_context.base.connections import connection_problem, is_connection
from biblicus_context.base.paths import path_of
from biblicus_context.errors import InputError

POSTGRES: Final = ("postgresql", "postgres")
QDRANT: Final = ("qdrant", "qdrants")
"""The second is with TLS."""
SCHEMES: Final = (*POSTGRES, *QDRANT)


class Address(NamedTuple):
    """A server, as a plan names it, and a collection of the store there."""

    server: str
    """`connection:main`, or a URL without a password."""
    collection: str

    def __str__(self) -> str:
        return f"{self.server}#{self.collection}"


def address_of(place: object, name: str) -> Address | None:
    """The address in a place; None for a folder. A corpus is in the collection of its name by default.

    >>> address_of("connection:main", "notes"), address_of("indexes/notes", "notes")
    (Address(server='connection:main', collection='notes'), None)
    """
    if not isinstance(place, str):
        return None
    if not is_connection(place):
        if place.startswith(f"{QDRANT[0]}:"):
            fix = f"Name the folder alone, or a server: {QDRANT[0]}://HOST:6334."
            raise InputError(
                "Qdrant keeps no store in a folder", place="store", found=place, fix=fix
            )
        return None
    server, _, collection = place.partition("#")
    if problem := connection_problem(server, SCHEMES):
        raise InputError(problem, place="store")
    return Address(server, collection or name)


def is_address(place: object) -> bool:
    """Whether a place is on a server."""
    return isinstance(place, str) and is_connection(place)


def place_below(place: str | Path, name: str) -> str | Path:
    """A part of a place: a folder in a folder, or a collection of a store on a server.

    >>> place_below("connection:main", "notes"), place_below(Path("data"), "notes") == Path("data/notes")
    ('connection:main#notes', True)
    """
    if isinstance(place, Path) or not is_address(place):
        return path_of(place, "place") / name
    server, _, collection = place.partition("#")
    return f"{server}#{collection}/{name}" if collection else f"{server}#{name}"
