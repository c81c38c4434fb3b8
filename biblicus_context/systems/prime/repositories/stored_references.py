"""The files that threads refer to, as relations in the store of the files."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Sequence
from functools import partial
from typing import Final

from biblicus_context.base import door
from biblicus_context.corpora import Corpus, Removed, read_in_thread
from biblicus_context.errors import InputError
from biblicus_context.ingest import Record, RelationTo
from biblicus_context.stores import Relation
from biblicus_context.systems.prime.repositories.arguments import name, text
from biblicus_context.systems.prime.repositories.models import THREAD, FileMatch
from biblicus_context.systems.prime.repositories.stored_files import StoredFiles

_REFERENCE: Final = "reference"
_MOST: Final = 100


@door
class StoredReferences:
    """A `ContextReferenceRepository` that can be written to.

    A thread is a document without text; a reference goes with its file.
    """

    def __init__(self, files: StoredFiles) -> None:
        self.files = files

    async def add(self, thread_id: str, file_id: str, *, user_id: str) -> None:
        """Let a thread refer to a file that the user has."""
        thread, file = name(thread_id, "thread_id"), text(file_id, "file_id")
        await to_thread(_add, self.files.corpus.of(user_id), thread, file)

    async def remove(self, thread_id: str, file_id: str, *, user_id: str) -> None:
        """Let a thread no longer refer to a file."""
        thread, file = text(thread_id, "thread_id"), text(file_id, "file_id")
        relation = Relation(THREAD + thread, file, _REFERENCE)
        await to_thread(self.files.corpus.of(user_id).unrelate, [relation])

    async def remove_thread(self, thread_id: str, *, user_id: str) -> Removed:
        """Forget what a thread refers to, and that there was one; the files stay."""
        thread = THREAD + text(thread_id, "thread_id")
        return await self.files.corpus.remove(user_id, [thread])

    async def ids(self, thread_id: str, user_id: str) -> list[str]:
        """The ids of the files that a thread refers to."""
        corpus, thread = self.files.corpus.of(user_id), THREAD + text(thread_id, "thread_id")
        related = partial(corpus.relations, [thread], types=[_REFERENCE])
        found = await read_in_thread(corpus, related)
        return [each.target for each in found]

    async def find_by_thread_id(self, thread_id: str, user_id: str) -> Sequence[FileMatch]:
        """The files that a thread refers to, whole."""
        ids = await self.ids(thread_id, user_id)
        return await self.files.found("references", "", user_id, _MOST, documents=ids)


def _add(corpus: Corpus, thread_id: str, file_id: str) -> None:
    if file_id.startswith(THREAD) or not corpus.get([file_id]):
        fix = "Write the file first."
        raise InputError("the user has no such file", place="file_id", found=file_id, fix=fix)
    to = (RelationTo(file_id, _REFERENCE),)
    corpus.put([Record(id=THREAD + thread_id, kind="thread", relations=to)])
