"""The files of users in a store of this package."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

from biblicus_context.base import door, require_one_of
from biblicus_context.corpora import Corpus, OtherEmbedderError, Removed, read_in_thread
from biblicus_context.ingest import DIGEST, Record, SkippedFile, file_records
from biblicus_context.retrieval import Relevance, file_names_of
from biblicus_context.stores import Readers
from biblicus_context.systems.prime.repositories.arguments import all_of, text, texts
from biblicus_context.systems.prime.repositories.models import THREAD, FileMatch, UserFile
from biblicus_context.systems.prime.repositories.shared_files import JudgedShares, SharedFiles
from biblicus_context.systems.prime.repositories.user_corpus import UserCorpus

SYNCED_FROM: Final = "synced_from"
"""Metadata of a file that a synchronisation wrote: its source."""
_MOST_NAMED: Final = 20
_JUDGED: Final = 5
"""Parts of files among which the best files are."""
_BEST: Final = 2
_SHARED: Final = 10
_SEARCHES: Final[Mapping[str, Mapping[str, Any]]] = {
    "full_text": {"retriever_id": "hybrid"},
    "keywords": {"retriever_id": "keyword", "phrases": True},
    "similar": {"retriever_id": "trigram"},
    "accessed": {"retriever_id": "activity", "edits": 0, "maximum_items_per_source": 1},
    "references": {"retriever_id": "explicit"},
}


class SyncedFiles(NamedTuple):
    """What a synchronisation changed."""

    written: tuple[str, ...]
    """The ids of files that are new or changed."""
    unchanged: int
    removed: tuple[str, ...]
    """The ids of files that are no longer there."""
    skipped: tuple[SkippedFile, ...]


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
        self.shared = SharedFiles(corpus)

    async def put(self, *files: UserFile) -> None:
        """Write files, those of one user at once; each replaces the file of its id."""
        for owner in dict.fromkeys(each.owner_user_id for each in all_of(files, UserFile, "files")):
            own = [each.record for each in files if each.owner_user_id == owner]
            await self.corpus.put(owner, own)
            await to_thread(self.shared.follow, owner, [each.id for each in own])

    async def remove(self, *ids: str, user_id: str) -> Removed:
        """Remove files of the user with their references and counts, also where they are shared."""
        named = [each for each in texts(ids, "ids") if not each.startswith(THREAD)]
        await to_thread(self.shared.forget, user_id, named)
        return await self.corpus.remove(user_id, named)

    async def share(
        self, file_id: str, user_id: str, users: Collection[str] = (), groups: Collection[str] = ()
    ) -> None:
        """Let other users and groups of the tenant have a file of the user in their contexts."""
        await self.shared.share(file_id, user_id, users, groups)

    async def unshare(
        self, file_id: str, user_id: str, users: Collection[str] = (), groups: Collection[str] = ()
    ) -> None:
        """Take it from them, from the next context on; without any named, from all."""
        await self.shared.unshare(file_id, user_id, users, groups)

    async def readers_of(self, file_id: str, user_id: str) -> Readers:
        """The other users and the groups that a file of the user is shared with."""
        return await self.shared.readers_of(file_id, user_id)

    async def sync(
        self,
        folder: str | Path,
        user_id: str,
        *,
        source: str | None = None,
        include: tuple[str, ...] = (),
        exclude: tuple[str, ...] = (),
    ) -> SyncedFiles:
        """Make the files of a folder files of the user; the next call follows edits and deletions.

        Their ids are `source/path`; `source` is the name of the folder by default. What the user wrote
        in another way stays. `include` and `exclude` are patterns of `.gitignore`.
        """
        name = text(source or Path(folder).resolve().name or "files", "source")
        corpus = self.corpus.of(user_id)
        done = await to_thread(_synced, corpus, Path(folder), name, include, exclude)
        await to_thread(self.shared.follow, user_id, [*done.written, *done.removed])
        return done

    async def embed_waiting(self, user_id: str, most: int | None = None) -> int:
        """Embed up to `most` texts (None: all) that wait for it, as after a large `sync`; returns how many still do."""
        return await to_thread(self.corpus.of(user_id).embed_waiting, most)

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

    async def judged_shares(
        self, query: str, user_id: str, groups: Collection[str]
    ) -> JudgedShares:
        """What others share with the user that answers a query, and whether any of it is relevant."""
        settings = self._searches["full_text"]
        own = {name: each for name, each in settings.items() if name not in ("query", "limit")}
        return await self.shared.judged(query, user_id, groups, own, _SHARED)

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


def _synced(
    corpus: Corpus, folder: Path, source: str, include: tuple[str, ...], exclude: tuple[str, ...]
) -> SyncedFiles:
    before = {each.id: each.metadata.get(DIGEST) for each in corpus.documents(_of_source(source))}
    skipped: list[SkippedFile] = []
    found = file_records(folder, include=include, exclude=exclude, on_skipped=skipped.append)
    seen, written = set[str](), list[str]()

    def changed() -> Iterator[Record]:
        for each in found:
            own = f"{source}/{each.id}"
            seen.add(own)
            if before.get(own) != each.metadata[DIGEST]:
                written.append(own)
                yield replace(each, id=own, metadata={**each.metadata, SYNCED_FROM: source})

    corpus.put_many(changed())
    # What cannot be read now may still be there; a folder is named with a slash at its end.
    kept = tuple(f"{source}/{each.name}" for each in skipped if each.for_now)
    gone = [each for each in before if each not in seen and not each.startswith(kept)]
    if gone:
        corpus.remove(gone)
    return SyncedFiles(tuple(written), len(seen) - len(written), tuple(gone), tuple(skipped))


def _of_source(source: str) -> Mapping[str, Any]:
    return {"metadata": {SYNCED_FROM: source}}


def _literal(name: str) -> str:
    """A name as a pattern of paths that matches it alone."""
    return "".join(f"[{each}]" if each in "*?[" else each for each in name)


def _phrase(words: str) -> str:
    """The words in quotes; a quote of their own would end them."""
    return '"{}"'.format(words.replace('"', " "))
