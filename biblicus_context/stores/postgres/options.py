"""How a server is reached: one URL, with a few settings of ours in it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from biblicus_context.errors import InputError

_SCHEMES: Final = ("postgresql", "postgres")
_OWN: Final = ("schema", "role", "prepares", "pool", "patience", "read", "cache", "partitions")
_IDENTIFIER: Final = re.compile(r"[a-z_][a-z0-9_]{0,62}")
_CONNECTION: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_FIX: Final = "Write postgresql://USER@HOST:PORT/DATABASE, and a password where libpq expects it."


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """Where a store is, and how it is used."""

    url: str
    """As libpq reads it; it may have a password, so it is in no error."""
    name: str
    """What it is called in errors."""
    schema: str = "biblicus_context"
    """Where the tables are: a store has a schema of its own."""
    role: str = "biblicus_context_app"
    """As which role everything is read and written: it owns nothing, and sees what policies let through."""
    prepares: bool = True
    """Whether statements are prepared: PgBouncer before 1.21 cannot keep them where it pools transactions."""
    pool: int = 10
    """Connections at most."""
    patience: float = 30.0
    """Seconds after which an answer no longer comes."""
    read: str | None = None
    """The name of a connection to a replica, which is read where it is recent enough."""
    partitions: int = 1
    """Into how many parts the large tables are divided when they are made."""
    cache: str | None = None
    """A folder of this machine for embeddings."""


def options_of(url: str, name: str | None = None) -> ServerOptions:
    """The options in a URL.

    >>> found = options_of("postgresql://ann@db:5432/team?schema=notes&pool=4")
    >>> found.url, found.name, found.schema, found.pool
    ('postgresql://ann@db:5432/team', 'postgresql://db:5432/team', 'notes', 4)
    """
    try:
        parts = urlsplit(url)
        given = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
        port = parts.port
    except ValueError:
        raise _refused("not a URL") from None
    if parts.scheme not in _SCHEMES:
        raise _refused("not the URL of a Postgres server")
    own = {key: value for key, value in given if key in _OWN}
    rest = urlencode([(key, value) for key, value in given if key not in _OWN])
    # urlunsplit drops the slashes of an empty host, which libpq needs.
    plain = urlunsplit(("", parts.netloc, parts.path, rest, "")).removeprefix("//")
    host = (parts.hostname or dict(given).get("host", "")) + (f":{port}" if port else "")
    return ServerOptions(
        url=f"{parts.scheme}://{plain}",
        name=name or f"postgresql://{host}{parts.path}",
        schema=_identifier(own, "schema", "biblicus_context"),
        role=_identifier(own, "role", "biblicus_context_app"),
        prepares=_switch(own, "prepares"),
        pool=round(_number(own, "pool", 10, least=1)),
        patience=_number(own, "patience", 30.0, least=0.1),
        read=_connection(own),
        partitions=round(_number(own, "partitions", 1, least=1)),
        cache=_folder(own),
    )


def _identifier(own: dict[str, str], key: str, default: str) -> str:
    value = own.get(key, default)
    if not _IDENTIFIER.fullmatch(value):
        problem = f"`{key}` is not the name of one: small letters, digits and '_'"
        raise InputError(problem, place="connection", found=value)
    return value


def _connection(own: dict[str, str]) -> str | None:
    name = own.get("read")
    if name is not None and not _CONNECTION.fullmatch(name):
        raise InputError("`read` is the name of a connection", place="connection", found=name)
    return name


def _folder(own: dict[str, str]) -> str | None:
    folder = own.get("cache")
    if folder is None:
        return None
    if not os.path.isabs(folder) or "\0" in folder:
        raise InputError("`cache` is the path of a folder", place="connection", found=folder)
    return folder


def _switch(own: dict[str, str], key: str) -> bool:
    value = own.get(key, "on")
    if value not in ("on", "off"):
        raise InputError(f"`{key}` is on or off", place="connection", found=value)
    return value == "on"


def _number(own: dict[str, str], key: str, default: float, *, least: float) -> float:
    try:
        value = float(own.get(key, default))
    except ValueError:
        value = 0.0
    if not least <= value <= 3600:
        problem = f"`{key}` is a number from {least:g} to 3600"
        raise InputError(problem, place="connection", found=own.get(key))
    return value


def _refused(problem: str) -> InputError:
    # The URL is not repeated: it may have a password.
    return InputError(problem, place="connection", fix=_FIX)
