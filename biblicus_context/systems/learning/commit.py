"""A hit in a history, as the commit that it is."""

from __future__ import annotations

from typing import Any

from pydantic import AwareDatetime, BaseModel, ConfigDict

from biblicus_context.base import door
from biblicus_context.corpora import Evidence


class Commit(BaseModel):
    """A commit of a repository."""

    model_config = ConfigDict(frozen=True)

    sha: str
    author: str
    message: str
    files_changed: tuple[str, ...] = ()
    insertions: int = 0
    deletions: int = 0
    timestamp: AwareDatetime | None = None


@door
def commit_of(found: Evidence) -> Commit:
    """The commit that a hit belongs to; of its files the first fifty."""
    known: dict[str, Any] = dict(found.document.metadata)
    files = {"files_changed": known["files"], "timestamp": found.document.created}
    return Commit(**{**known, **files})
