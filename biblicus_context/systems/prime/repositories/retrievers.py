"""Repositories as the retrievers of a plan: each source of the plan is one of their searches."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

from biblicus_context.base import door
from biblicus_context.corpora import read_all_in_thread
from biblicus_context.errors import InputError
from biblicus_context.retrieval import QueryAnalysis
from biblicus_context.systems.prime.repositories.models import FileMatch, ThreadMessage
from biblicus_context.systems.prime.repositories.protocols import (
    ContextReferenceRepository,
    FileRepository,
    MessageRepository,
)
from biblicus_context.systems.prime.repositories.stored_files import StoredFiles
from biblicus_context.systems.prime.repositories.stored_messages import StoredMessages

SOURCES: Final = (
    *(
        "named",
        "references",
        "full_text",
        "keywords",
        "similar",
        "accessed",
        "history",
        "around",
        "shared",
    ),
)
"""The retrievers of a plan that repositories answer for."""
_NOT_OF_A_CONTEXT: Final = ("update_access_time", "record_feedback")
"""Methods that contexts are built without."""
_Search: TypeAlias = Callable[[], Awaitable[Sequence[FileMatch | ThreadMessage]]]


@door
class RepositoryRetrievers:
    """Callables for `retrievers=` of a call: who asks is in them, and in no request of a plan."""

    def __init__(
        self,
        files: FileRepository,
        references: ContextReferenceRepository,
        messages: MessageRepository,
    ) -> None:
        _require(FileRepository, "file_repo", files)
        _require(ContextReferenceRepository, "context_ref_repo", references)
        _require(MessageRepository, "message_repo", messages)
        self._files, self._references, self._messages = files, references, messages

    def of(
        self, thread_id: str, user_id: str, query: QueryAnalysis
    ) -> dict[str, Callable[[object], Awaitable[list[dict[str, Any]]]]]:
        """The retriever of each source for a message of this user, by name."""
        files, references, messages = self._files, self._references, self._messages
        words = (*query.keywords, *query.phrases)
        searches: Mapping[str, _Search] = {
            "named": _nothing,
            "references": lambda: references.find_by_thread_id(thread_id, user_id),
            "full_text": lambda: files.search_content(query.text, user_id),
            "keywords": lambda: files.search_by_keywords(words, user_id),
            "similar": lambda: files.fuzzy_search(query.text, user_id),
            "accessed": lambda: files.get_recently_accessed(user_id),
            "history": lambda: messages.get_recent(thread_id, user_id),
            "around": _nothing,
            "shared": _nothing,
        }
        return {name: partial(_evidence, search) for name, search in searches.items()}

    async def versions(self, user_id: str) -> tuple[Hashable, ...]:
        """What changes whenever the user's files or messages do.

        Of stores of this package they are read in one thread: another one costs as much as a read.
        """
        files, messages = self._files, self._messages
        if type(files) is StoredFiles and type(messages) is StoredMessages:
            own, others = files.corpus, messages.corpus
            of_files, of_messages, of_shares = await read_all_in_thread(
                (own.of(user_id), partial(own.read_version, user_id, with_views=True)),
                (others.of(user_id), partial(others.read_version, user_id)),
                (own.shared(), own.read_shared_version),
            )
            return of_files, of_messages, of_shares
        # Not side by side: two threads at once took twice the time of these two short reads.
        return await files.get_version(user_id), await messages.get_version(user_id)


def _require(protocol: type, place: str, repository: object) -> None:
    methods = [n for n in vars(protocol) if not n.startswith("_") and n not in _NOT_OF_A_CONTEXT]
    if not all(hasattr(repository, each) for each in methods):
        fix = f"It has the methods {', '.join(methods)}."
        problem = f"{protocol.__name__} expected"
        raise InputError(problem, place=place, found=repository, fix=fix)


async def _evidence(search: _Search, _: object) -> list[dict[str, Any]]:
    return [each.evidence() for each in await search()]


async def _nothing() -> Sequence[FileMatch | ThreadMessage]:
    """A repository of yours finds a file by its name as by any other word, and says how much of it."""
    return ()
