"""Who reads or writes: passed by the caller of an assembly, never by a plan or a template."""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass

from biblicus_context.base.doors import door

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


@door
@dataclass(frozen=True, slots=True)
class Readers:
    """Who may see a document: everybody of its workspace, unless users or groups are named.

    `closed` names nobody: only who sees all of a workspace may see the document.
    """

    users: frozenset[str] = _NOBODY
    groups: frozenset[str] = _NOBODY
    closed: bool = False
    """Whether nobody else may see it, also where nobody is named."""

    def __post_init__(self) -> None:
        # Equal readers are equal values: to name somebody closes a document anyway.
        if self.closed and (self.users or self.groups):
            object.__setattr__(self, "closed", False)

    @property
    def are_everybody(self) -> bool:
        """Whether all of the workspace may see the document."""
        return not (self.closed or self.users or self.groups)

    def are_among(self, others: Readers) -> bool:
        """Whether all of these may see what the others may see.

        >>> Readers(users=frozenset({"ann"})).are_among(Readers()), Readers().are_among(Readers())
        (True, True)
        """
        if others.are_everybody or self.are_everybody:
            return others.are_everybody
        return self.users <= others.users and self.groups <= others.groups


EVERYBODY = Readers()
NOBODY = Readers(closed=True)
