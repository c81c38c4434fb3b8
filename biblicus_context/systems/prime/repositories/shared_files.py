"""Files that users of one tenant share: copies in a workspace of the tenant, with their readers."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, NamedTuple

from biblicus_context.corpora import OtherEmbedderError, read_in_thread
from biblicus_context.errors import InputError
from biblicus_context.ingest import Record
from biblicus_context.retrieval import Relevance
from biblicus_context.stores import NOBODY, Readers
from biblicus_context.systems.prime.repositories.arguments import text, texts
from biblicus_context.systems.prime.repositories.models import FileMatch, record_id
from biblicus_context.systems.prime.repositories.user_corpus import UserCorpus

_OWNER: Final = "owner"


class JudgedShares(NamedTuple):
    """What others share that answers a query, and whether any of it is relevant."""

    relevance: Relevance | None
    found: Sequence[FileMatch]


NO_SHARES: Final = JudgedShares(None, ())


class SharedFiles:
    """Shares files of users, and follows what becomes of them."""

    def __init__(self, corpus: UserCorpus) -> None:
        self._corpus = corpus

    async def share(
        self, file_id: str, user_id: str, users: Collection[str], groups: Collection[str]
    ) -> None:
        """Add readers to a file of the user."""
        await to_thread(self._change, file_id, user_id, _named(users, groups), adds=True)

    async def unshare(
        self, file_id: str, user_id: str, users: Collection[str], groups: Collection[str]
    ) -> None:
        """Take readers from a file of the user; all of them without any named."""
        readers = _named(users, groups) if users or groups else None
        await to_thread(self._change, file_id, user_id, readers, adds=False)

    async def readers_of(self, file_id: str, user_id: str) -> Readers:
        """Who else reads a file of the user."""
        shared = self._corpus.shared()
        found = await read_in_thread(shared, partial(shared.get, [_id(user_id, file_id)]))
        return found[0].readers if found else NOBODY

    def follow(self, user_id: str, ids: Iterable[str]) -> None:
        """Write files of the user again where they are shared, and remove those that are gone."""
        shared = self._corpus.shared()
        if shared.index.is_awaited:
            return
        own = {_id(user_id, each): each for each in ids}
        known = {each.id: each for each in shared.get([*own])} if own else {}
        if known:
            now = {e.id: e for e in self._corpus.of(user_id).get([own[each] for each in known])}
            gone = [each for each in known if own[each] not in now]
            written = [
                _copy(now[own[name]], user_id, each.readers)
                for name, each in known.items()
                if own[name] in now
            ]
            shared.put(written, gone)

    def forget(self, user_id: str, ids: Iterable[str] | None = None) -> tuple[str, ...]:
        """Remove what a user shares, or some of it; returns the ids of these files."""
        shared = self._corpus.shared()
        if shared.index.is_awaited:
            return ()
        wanted = None if ids is None else {_id(user_id, each) for each in ids}
        documents = shared.documents({"metadata": {_OWNER: user_id}})
        gone = [each.id for each in documents if wanted is None or each.id in wanted]
        if gone:
            shared.remove(gone)
        return tuple(gone)

    async def judged(
        self, query: str, user_id: str, groups: Collection[str], settings: dict[str, Any], most: int
    ) -> JudgedShares:
        """What others share with the user that answers a query."""
        corpus = self._corpus.shared(user_id, texts(groups, "groups"))
        if corpus.index.is_awaited:
            return NO_SHARES
        own = {**settings, "min_score": "auto"}
        judge = partial(corpus.judged_search, query, limit=most, **own)
        try:
            found = await read_in_thread(corpus, judge)
        except OtherEmbedderError:
            by_words = {**own, "retriever_id": "keyword"}
            judge = partial(corpus.judged_search, query, limit=most, **by_words)
            found = await read_in_thread(corpus, judge)
        others = [e for e in found.hits if e.document.metadata.get(_OWNER) != user_id]
        return JudgedShares(found.relevance, [FileMatch.of(each) for each in others])

    def _change(self, file_id: str, user_id: str, readers: Readers | None, *, adds: bool) -> None:
        own = self._corpus.of(user_id).get([text(file_id, "file_id")])
        if not own:
            fix = "Write the file first."
            raise InputError("the user has no such file", place="file_id", found=file_id, fix=fix)
        shared, name = self._corpus.shared(), _id(user_id, file_id)
        before = next(iter(shared.get([name])), None) if not shared.index.is_awaited else None
        now = before.readers if before else NOBODY
        if adds and readers is not None:
            now = Readers(now.users | readers.users, now.groups | readers.groups)
        elif readers is not None:
            now = Readers(now.users - readers.users, now.groups - readers.groups, closed=True)
        if readers is None or now == NOBODY:
            if before:
                shared.remove([name])
        else:
            shared.put([_copy(own[0], user_id, now)])


def _named(users: Collection[str], groups: Collection[str]) -> Readers:
    readers = Readers(frozenset(texts(users, "users")), frozenset(texts(groups, "groups")))
    if readers.are_everybody:
        fix = "Pass users, groups, or both."
        raise InputError("nobody is named", place="users", found=[], fix=fix)
    return readers


def _copy(record: Record, owner: str, readers: Readers) -> Record:
    metadata = {**record.metadata, _OWNER: owner}
    return replace(
        record, id=_id(owner, record.id), readers=readers, metadata=metadata, relations=()
    )


def _id(owner: str, file_id: str) -> str:
    return record_id(owner, file_id)
