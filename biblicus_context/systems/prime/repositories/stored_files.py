"""The files of users in a store of this package."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, Final, NamedTuple

from biblicus_context.base import door, require_one_of
from biblicus_context.corpora import OtherEmbedderError, Removed, read_in_thread
from biblicus_context.retrieval import Relevance, file_names_of
from biblicus_context.systems.prime.repositories.arguments import all_of, texts
from biblicus_context.systems.prime.repositories.models import THREAD, FileMatch, UserFile
from biblicus_context.systems.prime.repositories.user_corpus import UserCorpus

_MOST_NAMED: Final = 20
_JUDGED: Final = 5
"""Parts of files among which the best files are."""
_BEST: Final = 2
_SEARCHES: Final[Mapping[str, Mapping[str, Any]]] = {
    "full_text": {"retriever_id": "hybrid"},
    "keywords": {"retriever_id": "keyword", "phrases": True},
    "similar": {"retriever_id": "trigram"},
    "accessed": {"retriever_id": "activity", "edits": 0, "maximum_items_per_source": 1},
    "references": {"retriever_id": "explicit"},
}


class JudgedFiles(NamedTuple):
    """What was decided about the files of a user."""

    relevance: Relevance | None
    best: Sequence[str]


@door
class StoredFiles:
    """A `FileRepository` that can be written to; `searches` are settings of its retrievers, by name."""

    def __init__(
        self, corpus: UserCorpus, searches: Mapping[str, Mapping[str, Any]] | None = None
    ) -> None:
        self.corpus, self._searches = corpus, {**_SEARCHES, **(searches or {})}

    async def put(self, *files: UserFile) -> None:
        """Write files, those of one user at once; each replaces the file of its id."""
        for owner in dict.fromkeys(each.owner_user_id for each in all_of(files, UserFile, "files")):
            own = [each.record for each in files if each.owner_user_id == owner]
            await self.corpus.put(owner, own)

    async def remove(self, *ids: str, user_id: str) -> Removed:
        """Remove files of the user with their references and counts."""
        return await self.corpus.remove(
            user_id, [each for each in texts(ids, "ids") if not each.startswith(THREAD)]
        )

    async def named_in(self, message: str, user_id: str) -> list[str]:
        """The ids of the files whose paths, or names, a message has."""
        names = file_names_of(message)
        if not names:
            return []
        patterns = [each for name in names for each in (_literal(name), f"**/{_literal(name)}")]
        corpus = self.corpus.of(user_id)

        def read() -> list[str]:
            found = [*islice(corpus.documents({"kind": "file", "path": patterns}), _MOST_NAMED)]
            whole = {*names}
            return [e.id for e in sorted(found, key=lambda e: e.path not in whole)]

        return await read_in_thread(corpus, read)

    async def relevance(self, query: str, user_id: str) -> Relevance | None:
        """Whether any file is relevant to a query."""
        return (await self.judged(query, user_id)).relevance

    async def judged(self, query: str, user_id: str) -> JudgedFiles:
        """Whether any file is relevant to a query, and the ids of those that answer it best."""
        corpus = self.corpus.of(user_id)
        settings = {**self._searches["full_text"], "min_score": "auto"}
        own = {name: each for name, each in settings.items() if name not in ("query", "limit")}
        judge = partial(corpus.judged_search, query, limit=_JUDGED, **own)
        try:
            found = await read_in_thread(corpus, judge)
        except OtherEmbedderError:  # files that were written without one, or with another
            by_words = {**own, "retriever_id": "keyword"}
            judge = partial(corpus.judged_search, query, limit=_JUDGED, **by_words)
            found = await read_in_thread(corpus, judge)
        ids = dict.fromkeys(each.document.id for each in found.hits)
        return JudgedFiles(found.relevance, [*ids][:_BEST])

    async def search_content(
        self, query: str, user_id: str, *, limit: int = 10
    ) -> Sequence[FileMatch]:
        """The parts of files with the words of a query, best first."""
        return await self.found("full_text", query, user_id, limit, retriever_id="keyword")

    async def search_by_keywords(
        self, keywords: Sequence[str], user_id: str, *, limit: int = 10
    ) -> Sequence[FileMatch]:
        """The parts of files with any of these words; one of several words is a phrase."""
        wanted = texts(keywords, "keywords")
        words = " ".join(_phrase(each) if " " in each else each for each in wanted)
        return await self.found("keywords", words, user_id, limit)

    async def fuzzy_search(
        self, query: str, user_id: str, *, limit: int = 5, threshold: float = 0.3
    ) -> Sequence[FileMatch]:
        """The parts of files whose path or text is spelt like a query."""
        return await self.found("similar", query, user_id, limit, similarity=threshold)

    async def get_recently_accessed(self, user_id: str, *, limit: int = 5) -> Sequence[FileMatch]:
        """The first part of each file that the user opened, last opened first."""
        return await self.found("accessed", "", user_id, limit, views=limit)

    async def update_access_time(self, file_id: str, user_id: str) -> None:
        """Record that the user opened a file now; an unknown one is ignored."""
        await self.corpus.record_view(user_id, file_id)

    async def record_feedback(self, item_id: str, user_id: str, *, useful: bool) -> bool:
        """Count feedback on a file, or on a part of it; False if there is none of this id."""
        return await self.corpus.record_feedback(user_id, item_id, useful=useful)

    async def get_version(self, user_id: str) -> Hashable:
        """What changes whenever files or references of the user do, or the user opens a file."""
        return await self.corpus.version(user_id, with_views=True)

    async def found(
        self, search: str, query: str, user_id: str, limit: int, **own: object
    ) -> list[FileMatch]:
        """What one of the searches finds, with settings of the call."""
        require_one_of(self._searches, search=search)
        settings = {**self._searches[search], **own}
        found = await self.corpus.search(user_id, query, settings, limit=limit)
        return [FileMatch.of(each, is_excerpt="excerpt" in settings) for each in found]


def _literal(name: str) -> str:
    """A name as a pattern of paths that matches it alone."""
    return "".join(f"[{each}]" if each in "*?[" else each for each in name)


def _phrase(words: str) -> str:
    """The words in quotes; a quote of their own would end them."""
    return '"{}"'.format(words.replace('"', " "))
