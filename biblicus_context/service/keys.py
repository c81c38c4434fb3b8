"""API keys: hashed at rest, shown once, and read again whenever their file changes."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from biblicus_context.base import door, logger, path_of, replacement
from biblicus_context.errors import InputError, LoadError, UnknownNameError
from biblicus_context.service.callers import Caller
from biblicus_context.service.scopes import KeyScope
from biblicus_context.stores import Principal

START: Final = "bctx_"
"""What every key begins with, so that scanners of secrets can know one."""
_BYTES_OF_ID: Final = 5
_BYTES_OF_SECRET: Final = 32
_LOOK_EVERY: Final = 1.0
"""Seconds after which the file is looked at again."""
_NOBODY: Final = "0" * 64


class ApiKey(BaseModel):
    """What is kept of a key: never the key itself."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    hash: str = Field(pattern="^[0-9a-f]{64}$", repr=False)
    name: str = ""
    workspace: str = Field(min_length=1)
    user: str | None = None
    groups: tuple[str, ...] = ()
    scopes: tuple[KeyScope, ...] = (KeyScope.READ,)
    created: AwareDatetime
    expires: AwareDatetime | None = None

    def is_expired(self, now: datetime) -> bool:
        """Whether it no longer opens anything."""
        return self.expires is not None and self.expires <= now

    @property
    def caller(self) -> Caller:
        """Who asks with this key."""
        who = Principal(self.workspace, self.user, frozenset(self.groups))
        return Caller(who, frozenset(self.scopes), self.id)


class NewKey(NamedTuple):
    """A key that was just made; this is the only time that anybody can read it."""

    key: str
    known: ApiKey


@door
class KeyFile:
    """The keys in a file, which other processes may change: `key create` and `key revoke` need no restart.

    A key has 256 random bits, so that a plain SHA-256 of it cannot be reversed: there is nothing to
    guess, and each request pays a microsecond.

    >>> from tempfile import mkdtemp
    >>> keys = KeyFile(Path(mkdtemp()) / "keys.json")
    >>> made = keys.create("acme", user="ann")
    >>> keys.caller(made.key).principal.user, keys.caller("bctx_guess") is None
    ('ann', True)
    """

    def __init__(self, path: str | Path) -> None:
        self.path = path_of(path, "keys")
        self._known: Mapping[str, ApiKey] = {}
        self._stamp: object = None
        self._looked = float("-inf")

    def create(
        self,
        workspace: str,
        *,
        user: str | None = None,
        groups: tuple[str, ...] = (),
        scopes: tuple[KeyScope, ...] = (KeyScope.READ,),
        expires: datetime | None = None,
        name: str = "",
    ) -> NewKey:
        """Make a key for a principal, which may have several: so one can be replaced without a gap."""
        id_ = base64.b32encode(secrets.token_bytes(_BYTES_OF_ID)).decode().lower()
        key = f"{START}{id_}_{secrets.token_urlsafe(_BYTES_OF_SECRET)}"
        try:
            known = ApiKey(
                id=id_,
                hash=_hash(key),
                name=name,
                workspace=workspace,
                user=user,
                groups=groups,
                scopes=tuple(dict.fromkeys(scopes)),
                created=datetime.now(UTC),
                expires=expires,
            )
        except ValidationError as error:
            raise InputError(f"this is not a key: {error.errors()[0]['msg']}") from None
        with self._changing() as keys:
            keys[id_] = known
        return NewKey(key, known)

    def revoke(self, id_: str) -> ApiKey:
        """Remove a key, by its id: it opens nothing from the next second on."""
        with self._changing() as keys:
            if id_ not in keys:
                raise UnknownNameError("Key", id_, keys, place=str(self.path))
            return keys.pop(id_)

    def all(self) -> list[ApiKey]:
        """The keys in the file, the oldest first."""
        return sorted(self._read().values(), key=lambda each: each.created)

    def caller(self, key: str) -> Caller | None:
        """Who asks with this key; None if it is not one, or no longer."""
        id_ = key.removeprefix(START).partition("_")[0]
        found = self._now().get(id_)
        # Compared also where there is none: the time does not tell which ids exist.
        is_it = hmac.compare_digest(_hash(key), found.hash if found else _NOBODY)
        if found is None or not is_it or found.is_expired(datetime.now(UTC)):
            return None
        return found.caller

    def check(self) -> None:
        """Read the file; raises a LoadError if it is not one of keys."""
        self._known, self._stamp = self._read(), self._stamp_now()
        self._looked = time.monotonic()

    def _now(self) -> Mapping[str, ApiKey]:
        now = time.monotonic()
        if now - self._looked >= _LOOK_EVERY:
            self._looked = now
            stamp = self._stamp_now()
            if stamp != self._stamp:
                try:
                    self._known, self._stamp = self._read(), stamp
                except LoadError as error:
                    # The keys of before stay: a file that is half written locks nobody out.
                    logger("service").error("keys are as they were: %s", error)
                    self._stamp = stamp
        return self._known

    def _stamp_now(self) -> object:
        try:
            status = self.path.stat()
        except OSError:
            return None
        return status.st_mtime_ns, status.st_size, status.st_ino

    def _read(self) -> dict[str, ApiKey]:
        place = str(self.path)
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            content = b""
        except OSError as error:
            raise LoadError(f"cannot be read: {error.strerror}", file=place) from None
        if not content:
            return {}
        try:
            found = _Keys.model_validate_json(content)
        except ValidationError:  # its words would show what is in the file
            fix = "Make keys with 'biblicus-context key create'."
            raise LoadError("this is not a file of keys", file=place, fix=fix) from None
        return {each.id: each for each in found.keys}

    @contextmanager
    def _changing(self) -> Iterator[dict[str, ApiKey]]:
        """The keys, which are written when the block ends: as a whole, and readable for the owner alone."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with _locked(self.path.with_name(f"{self.path.name}.lock")):
            keys = self._read()
            yield keys
            _write(self.path, {"keys": [each.model_dump(mode="json") for each in keys.values()]})
            self.check()


class _Keys(BaseModel):
    model_config = ConfigDict(extra="forbid")

    keys: list[ApiKey]


def _hash(key: str) -> str:
    return hashlib.sha256(key.encode(errors="replace")).hexdigest()


def _write(path: Path, value: Any) -> None:
    with suppress(FileExistsError):  # a new one has the permissions of the one that it replaces
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    with replacement(path) as file:
        file.write(json.dumps(value, indent=1).encode())


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """One process changes the file at a time; where the system has no such locks, the last one wins."""
    handle = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        with suppress(ImportError):
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
