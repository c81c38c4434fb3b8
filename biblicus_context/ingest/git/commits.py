"""A commit becomes a document: its message and the names of its files are searched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from biblicus_context.base.surrogates import replaced
from biblicus_context.ingest.chunks.chunk import ChunkSettings
from biblicus_context.ingest.chunks.chunking import chunks
from biblicus_context.ingest.chunks.section import Parsed, Section
from biblicus_context.ingest.documents import FileDocument, file_document
from biblicus_context.ingest.files.content import Content
from biblicus_context.ingest.git.log import MOST_FILES, LoggedCommit
from biblicus_context.ingest.sanitizing import shown
from biblicus_context.stores import Relation
from biblicus_context.stores.model import Json
from biblicus_context.text.counters import Counter

KIND: Final = "commit"
CHANGES: Final = "changes"
"""The type of the relation from a commit to a file that it changed."""
_LISTED: Final = 50
"""Files that the text and the metadata of a commit name."""
_LONGEST_MESSAGE: Final = 4_000
"""Characters of a message in the metadata; the blocks have all of it."""


@dataclass(frozen=True, slots=True)
class CommitDocument:
    """A commit as a document, with the relations to its files."""

    document: FileDocument
    relations: tuple[Relation, ...]
    note: str | None
    """What was left out of it."""


@dataclass(frozen=True, slots=True)
class CommitConverter:
    """How commits are cut into blocks."""

    chunks: ChunkSettings
    counter: Counter

    def convert(self, commit: LoggedCommit, fingerprint: str) -> CommitDocument:
        """The document of a commit; one without a message is found by its files."""
        message = replaced(commit.message).replace("\0", "\ufffd")
        section = Section(_text(message, commit), kind="record")
        title, _, _ = message.partition("\n")
        parsed = Parsed(KIND, (section,), title=title, created=commit.created)
        content = Content(commit.sha, section.text.encode(), None)
        cut = chunks(parsed.sections, self.chunks, self.counter)
        made = file_document(content, parsed, cut, fingerprint=fingerprint)
        # A commit has no path, and its metadata is larger than that of a file may be.
        document = replace(made.document, path=None, metadata=_metadata(message, commit))
        return CommitDocument(made._replace(document=document), _relations(commit), _note(commit))


def _text(message: str, commit: LoggedCommit) -> str:
    return "\n\n".join(filter(None, (message, _files(commit)))) or commit.sha


def _files(commit: LoggedCommit) -> str:
    if not commit.files:
        return ""
    more = commit.changed - len(commit.files[:_LISTED])
    listed = ", ".join(shown(name) for name in commit.files[:_LISTED])
    return f"Files: {listed}{f' and {more:,} more' if more else ''}"


def _metadata(message: str, commit: LoggedCommit) -> dict[str, Json]:
    return {
        "sha": commit.sha,
        "author": shown(commit.author),
        **({"time": commit.created.isoformat()} if commit.created else {}),
        "message": message[:_LONGEST_MESSAGE],
        "files": [shown(name) for name in commit.files[:_LISTED]],
        "files_changed": commit.changed,
        "insertions": commit.insertions,
        "deletions": commit.deletions,
    }


def _relations(commit: LoggedCommit) -> tuple[Relation, ...]:
    return tuple(Relation(commit.sha, name, CHANGES) for name in _names(commit))


def _names(commit: LoggedCommit) -> Iterator[str]:
    """The names of its files, each once and never its own."""
    return (name for name in dict.fromkeys(commit.files) if name != commit.sha)


def _note(commit: LoggedCommit) -> str | None:
    if commit.is_whole:
        return None
    if commit.changed == MOST_FILES:
        return f"only its first {MOST_FILES:,} files were read"
    return "git cannot read what it changed, so its files are left out"
