"""What a repository of yours provides; `biblicus_context.testing.user_files_contract` has its tests.

Every answer is about one user only. A query is words, never query syntax.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Protocol

from biblicus_context.systems.prime.repositories.models import FileMatch, ThreadMessage


class FileRepository(Protocol):
    """The files of users: found by full text, keywords and trigrams, best first, or by last use."""

    async def search_content(
        self, query: str, user_id: str, *, limit: int = 10
    ) -> Sequence[FileMatch]: ...
    async def search_by_keywords(
        self, keywords: Sequence[str], user_id: str, *, limit: int = 10
    ) -> Sequence[FileMatch]: ...
    async def fuzzy_search(
        self, query: str, user_id: str, *, limit: int = 5, threshold: float = 0.3
    ) -> Sequence[FileMatch]: ...
    async def get_recently_accessed(
        self, user_id: str, *, limit: int = 5
    ) -> Sequence[FileMatch]: ...
    async def update_access_time(self, file_id: str, user_id: str) -> None: ...
    async def record_feedback(self, item_id: str, user_id: str, *, useful: bool) -> bool:
        """False if the user has no item of this id, which is all that tells a caller."""

    async def get_version(self, user_id: str) -> Hashable:
        """What changes whenever files or references of the user do, or the user opens a file.

        Services that share a cache need versions that no other repository has.
        """


class ContextReferenceRepository(Protocol):
    """The files that threads refer to."""

    async def find_by_thread_id(self, thread_id: str, user_id: str) -> Sequence[FileMatch]: ...


class MessageRepository(Protocol):
    """The messages of threads, last first."""

    async def get_recent(
        self, thread_id: str, user_id: str, *, limit: int = 20
    ) -> Sequence[ThreadMessage]: ...
    async def record_feedback(self, item_id: str, user_id: str, *, useful: bool) -> bool:
        """False if the user has no item of this id, which is all that tells a caller."""

    async def get_version(self, user_id: str) -> Hashable:
        """What changes whenever messages of the user do."""
