"""What a repository of yours provides; `biblicus_context.testing.prime_contract` has the tests.

Every answer is about one user only. A query is words, never query syntax.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Protocol

from biblicus_context.systems.user_files.models import Message, Results


class FileRepository(Protocol):
    """The files of users: found by full text, keywords and trigrams, best first, or by last use."""

    async def search_content(self, query: str, user_id: str, *, limit: int = 10) -> Results: ...
    async def search_by_keywords(
        self, keywords: Sequence[str], user_id: str, *, limit: int = 10
    ) -> Results: ...
    async def fuzzy_search(
        self, query: str, user_id: str, *, limit: int = 5, threshold: float = 0.3
    ) -> Results: ...
    async def get_recently_accessed(self, user_id: str, *, limit: int = 5) -> Results: ...
    async def update_access_time(self, file_id: str, user_id: str) -> None: ...
    async def record_feedback(self, item_id: str, user_id: str, *, useful: bool) -> None: ...
    async def get_version(self, user_id: str) -> Hashable:
        """What changes whenever files or references of the user do."""


class ContextReferenceRepository(Protocol):
    """The files that threads refer to."""

    async def find_by_thread_id(self, thread_id: str, user_id: str) -> Results: ...


class MessageRepository(Protocol):
    """The messages of threads, last first."""

    async def get_recent(
        self, thread_id: str, user_id: str, *, limit: int = 20
    ) -> Sequence[Message]: ...
    async def get_version(self, user_id: str) -> Hashable:
        """What changes whenever messages of the user do."""
