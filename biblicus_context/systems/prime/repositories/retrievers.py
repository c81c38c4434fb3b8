"""Repositories as the retrievers of a plan: each source of the plan is one of their searches."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from contextvars import ContextVar
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

from biblicus_context.base import door
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
from biblicus_context.systems.prime.repositories.user_corpus import UserCorpus

_NOT_OF_A_CONTEXT: Final = ("update_access_time", "record_feedback")
"""Methods that contexts are built without."""


class _Call(NamedTuple):
    thread_id: str
    user_id: str
    query: QueryAnalysis


Search: TypeAlias = Callable[[_Call], Awaitable[Sequence[FileMatch | ThreadMessage]]]
_CALL: Final[ContextVar[_Call]] = ContextVar("the call that repositories answer")


@door
class RepositoryRetrievers:
    """Functions for `retriever_functions=` of an assembler.

    Who asks is not in a request: a request would carry the user to every retriever of a plan.
    """

    def __init__(
        self,
        files: FileRepository,
        references: ContextReferenceRepository,
        messages: MessageRepository,
    ) -> None:
        _require(FileRepository, "file_repo", files)
        _require(ContextReferenceRepository, "context_ref_repo", references)
        _require(MessageRepository, "message_repo", messages)
        searches: Mapping[str, Search] = {
            "references": lambda call: references.find_by_thread_id(call.thread_id, call.user_id),
            "full_text": lambda call: files.search_content(call.query.text, call.user_id),
            "keywords": lambda call: files.search_by_keywords(
                (*call.query.keywords, *call.query.phrases), call.user_id
            ),
            "similar": lambda call: files.fuzzy_search(call.query.text, call.user_id),
            "accessed": lambda call: files.get_recently_accessed(call.user_id),
            "history": lambda call: messages.get_recent(call.thread_id, call.user_id),
        }
        self._files, self._messages = files, messages
        self.functions = {name: partial(_answer, search) for name, search in searches.items()}
        """The retriever of each source, by name."""

    async def versions(self, user_id: str) -> tuple[Hashable, Hashable]:
        """What changes whenever the user's files or messages do.

        Of stores of this package they are read in one thread: another one costs as much as a read.
        """
        files, messages = self._files, self._messages
        if type(files) is StoredFiles and type(messages) is StoredMessages:
            return await to_thread(_versions, files.corpus, messages.corpus, user_id)
        # Not side by side: two threads at once took twice the time of these two short reads.
        return await files.get_version(user_id), await messages.get_version(user_id)

    @staticmethod
    def call_is(thread_id: str, user_id: str, query: QueryAnalysis) -> None:
        """Answer for this user what the current task asks from now on."""
        _CALL.set(_Call(thread_id, user_id, query))


def _require(protocol: type, place: str, repository: object) -> None:
    methods = [n for n in vars(protocol) if not n.startswith("_") and n not in _NOT_OF_A_CONTEXT]
    if not all(hasattr(repository, each) for each in methods):
        fix = f"It has the methods {', '.join(methods)}."
        problem = f"{protocol.__name__} expected"
        raise InputError(problem, place=place, found=repository, fix=fix)


def _versions(files: UserCorpus, messages: UserCorpus, user_id: str) -> tuple[Hashable, Hashable]:
    return files.read_version(user_id, with_views=True), messages.read_version(user_id)


async def _answer(search: Search, _: object) -> list[dict[str, Any]]:
    return [each.evidence() for each in await search(_CALL.get())]
