"""Who reads or writes: passed by the caller of an assembly, never by a plan or a template."""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass

_NOBODY: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Principal:
    """The user as whom a store is read and written.

    A workspace is a tenant: nothing of another one can be reached. Inside it a document is visible to
    everybody, or to its readers. `sees_all` is for the jobs of a whole workspace, such as ingest.

    >>> Principal("acme", user="ann", groups={"hr"}).groups
    frozenset({'hr'})
    """

    workspace: str
    user: str | None = None
    groups: Set[str] = _NOBODY
    sees_all: bool = False

    def __post_init__(self) -> None:
        # One name is not a set of its letters, and a number is no set at all: checks refuses both.
        if isinstance(self.groups, Iterable) and not isinstance(self.groups, str):
            object.__setattr__(self, "groups", frozenset(self.groups))


@dataclass(frozen=True, slots=True)
class Readers:
    """Who may see a document: everybody of its workspace, unless users or groups are named."""

    users: frozenset[str] = _NOBODY
    groups: frozenset[str] = _NOBODY

    def are_among(self, others: Readers) -> bool:
        """Whether all of these may see what the others may see.

        >>> Readers(users=frozenset({"ann"})).are_among(Readers()), Readers().are_among(Readers())
        (True, True)
        """
        if not (others.users or others.groups):
            return True
        named = bool(self.users or self.groups)
        return named and self.users <= others.users and self.groups <= others.groups


EVERYBODY = Readers()
