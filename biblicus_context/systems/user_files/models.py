"""Files of users, messages of threads, and what a search of the files found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypeAlias

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

Name = Annotated[str, Field(min_length=1, max_length=400)]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class File(_Model):
    """A file of one user."""

    id: Name
    path: Name
    content: str
    owner_user_id: Name
    created_at: AwareDatetime | None = None
    updated_at: AwareDatetime | None = None
    metadata: Mapping[str, Any] = {}


class Message(_Model):
    """A message of a thread; without a time it is of now."""

    role: Name
    content: str
    id: Name | None = None
    created_at: AwareDatetime | None = None

    def evidence(self) -> dict[str, Any]:
        """The message as a block of evidence."""
        known = {"kind": "message", "created": self.created_at, "role": self.role}
        return {"id": self.id, "text": self.content, "metadata": known}


class SearchResult(_Model):
    """A part of a file, as a repository found it."""

    id: Name
    path: str
    content: str
    excerpt: str | None = None
    rank: float = 0.0
    created_at: AwareDatetime | None = None

    def evidence(self) -> dict[str, Any]:
        """The result as a block of evidence."""
        known = {"kind": "file", "path": self.path, "created": self.created_at}
        text = self.excerpt or self.content
        return {"id": self.id, "text": text, "score": self.rank, "metadata": known}


Results: TypeAlias = Sequence[SearchResult]
