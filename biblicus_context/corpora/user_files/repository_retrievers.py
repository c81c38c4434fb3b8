"""Repositories as the retrievers of a plan: each source of the plan is one of their searches."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextvars import ContextVar
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

from biblicus_context.corpora.user_files.models import FileMatch, ThreadMessage
from biblicus_context.corpora.user_files.repositories import (
    ContextReferenceRepository,
    FileRepository,
    MessageRepository,
)
from biblicus_context.retrieval.analysis.query_analysis import QueryAnalysis


class _Call(NamedTuple):
    thread_id: str
    user_id: str
    query: QueryAnalysis


Search: TypeAlias = Callable[[_Call], Awaitable[Sequence[FileMatch | ThreadMessage]]]
_CALL: Final[ContextVar[_Call]] = ContextVar("the call that repositories answer")


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
        self.functions = {name: partial(_answer, search) for name, search in searches.items()}
        """The retriever of each source, by name."""

    @staticmethod
    def call_is(thread_id: str, user_id: str, query: QueryAnalysis) -> None:
        """Answer for this user what the current task asks from now on."""
        _CALL.set(_Call(thread_id, user_id, query))


async def _answer(search: Search, _: object) -> list[dict[str, Any]]:
    return [each.evidence() for each in await search(_CALL.get())]
