"""Who asks, and what they may do: always from the configuration of the server, never from a body."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from biblicus_context.corpora import LOCAL
from biblicus_context.stores import Principal


class Scope(StrEnum):
    """What a key allows; a larger one does not include a smaller one, except `admin`, which allows all."""

    READ = "read"
    WRITE = "write"
    INSPECT = "inspect"
    ADMIN = "admin"


EVERYTHING = frozenset(Scope)


@dataclass(frozen=True, slots=True)
class Caller:
    """One who was let in: as whom stores are read and written, and what the key allows."""

    principal: Principal = LOCAL
    scopes: frozenset[Scope] = EVERYTHING
    key: str = field(default="", repr=False)
    """The id of the key, never the key itself; empty without keys."""

    def may(self, scope: Scope) -> bool:
        """Whether the key allows this."""
        return scope in self.scopes or Scope.ADMIN in self.scopes

    @property
    def owner(self) -> str:
        """A name for what belongs to this caller alone, such as its idempotency keys."""
        who = self.principal
        return f"{len(who.workspace)}:{who.workspace}/{who.user or ''}/{self.key}"
