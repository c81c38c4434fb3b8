"""Files of users, messages of threads, and what a search of the files finds."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Self
from uuid import uuid4

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, field_validator

from biblicus_context.base import door
from biblicus_context.corpora import Evidence
from biblicus_context.ingest import Record
from biblicus_context.systems.prime.repositories.arguments import LONGEST_NAME, name

THREAD: Final = "thread:"
"""Begins the id of what a thread is in the store of its files; no file may have such an id."""

Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
"""What a caller chooses."""
StoredId = Annotated[str, Field(min_length=1)]
"""What a store made of names, such as the id of a part of a file: whatever was written is read."""


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class UserFile(_Model):
    """A file of one user."""

    id: Name
    path: Name
    content: str
    owner_user_id: Name
    created_at: AwareDatetime | None = None
    updated_at: AwareDatetime | None = None
    metadata: Mapping[str, Any] = {}

    @field_validator("id")
    @classmethod
    def _is_free(cls, value: str) -> str:
        if value.startswith(THREAD):
            raise ValueError(f"ids that begin with '{THREAD}' are kept for threads")
        return value

    @property
    def record(self) -> Record:
        """The file as a document; without a time it is of now."""
        return Record(
            id=self.id,
            text=self.content,
            kind="file",
            title=self.path,  # searches read titles, and so the words of the path
            path=self.path,
            created=self.created_at or datetime.now(UTC),
            updated=self.updated_at,
            metadata=self.metadata,
        )


@door
class ThreadMessage(_Model):
    """A message of a thread; without a time it is of now."""

    role: Name
    content: str
    id: StoredId | None = None
    created_at: AwareDatetime | None = None

    @classmethod
    def of(cls, found: Evidence) -> Self:
        """The message of a hit."""
        return cls(
            id=found.block.id,
            role=str(found.document.metadata["role"]),
            content=found.block.text,
            created_at=found.document.created,
        )

    def record(self, thread_id: str, now: datetime) -> Record:
        """The message as a document."""
        if self.id is not None:
            name(self.id, "messages.id")
        return Record(
            id=record_id(thread_id, self.id or uuid4().hex),
            text=self.content,
            kind="message",
            conversation=thread_id,
            created=self.created_at or now,
            metadata={"role": self.role},
        )

    def evidence(self) -> dict[str, Any]:
        """The message as a block of evidence."""
        known = {"kind": "message", "created": self.created_at, "role": self.role}
        return {"id": self.id, "text": self.content, "metadata": known}


def record_id(thread_id: str, message_id: str) -> str:
    """The id of a message in a store; the length keeps apart names that contain a slash."""
    return f"{len(thread_id)}:{thread_id}/{message_id}"


@door
class FileMatch(_Model):
    """A part of a file that a search found."""

    id: StoredId
    path: str
    content: str
    excerpt: str | None = None
    rank: float = 0.0
    created_at: AwareDatetime | None = None

    @classmethod
    def of(cls, found: Evidence, *, is_excerpt: bool = False) -> Self:
        """The match of a hit."""
        text = found.block.text
        return cls(
            id=found.block.id,
            path=found.source,
            content=text,
            excerpt=text if is_excerpt else None,
            rank=found.score,
            created_at=found.document.created,
        )

    def evidence(self) -> dict[str, Any]:
        """The match as a block of evidence."""
        known = {"kind": "file", "path": self.path, "created": self.created_at}
        text = self.excerpt or self.content
        return {"id": self.id, "text": text, "score": self.rank, "metadata": known}
