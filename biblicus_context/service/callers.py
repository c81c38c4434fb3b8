"""Who asks, and what they may do: always from the configuration of the server, never from a body."""

from __future__ import annotations

from dataclasses import dataclass, field

from biblicus_context.corpora import LOCAL
from biblicus_context.service.scopes import KeyScope
from biblicus_context.stores import Principal

EVERYTHING = frozenset(KeyScope)


@dataclass(frozen=True, slots=True)
class Caller:
    """One who was let in: as whom stores are read and written, and what the key allows."""

    principal: Principal = LOCAL
    scopes: frozenset[KeyScope] = EVERYTHING
    key: str = field(default="", repr=False)
    """The id of the key, never the key itself; empty without keys."""

    def may(self, scope: KeyScope) -> bool:
        """Whether the key allows this."""
        return scope in self.scopes or KeyScope.ADMIN in self.scopes

    @property
    def owner(self) -> str:
        """A name for what belongs to this caller alone, such as its idempotency keys."""
        who = self.principal
        groups = ",".join(sorted(who.groups))
        return (
            f"{len(who.workspace)}:{who.workspace}/{len(who.user or '')}:{who.user or ''}/{groups}"
        )
