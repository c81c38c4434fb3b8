"""A process that changes and asks a workspace, as it is told over a pipe."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

from biblicus_context import ContextError, ContextRetrieverRequest, Principal
from biblicus_context.corpora import CorpusRetriever
from biblicus_context.embedders import FunctionEmbedder
from biblicus_context.stores import Document
from biblicus_context.systems.workspace import (
    BlockStore,
    ContextBuilder,
    ContextConfig,
    ContextHints,
    ContextPayload,
    ContextRequest,
    Focus,
    RecordTree,
    User,
)

WORDS: Final = "lamp hall plan"
"""In each block, so that every search finds all of them."""
_EMBEDDER: Final = FunctionEmbedder(
    lambda texts: [[1.0, float(len(text) % 7)] for text in texts], model="tiny", dimensions=2
)
_REMEMBERED: Final = ContextConfig(collectors={"semantic": {"cache": {"ttl_seconds": 600}}})


class _AtOnce(ThreadPoolExecutor):
    """Does what is to be done in a thread in the thread that asks for it: to change threads takes most of
    the time of a short call on a busy machine."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        done = Future[Any]()
        try:
            done.set_result(fn(*args, **kwargs))
        except Exception as error:  # as every executor: whoever asks for the result gets it
            done.set_exception(error)
        return done


class RightsWorker:
    """A store that is opened once, and what one sequence began in it."""

    def __init__(self, folder: Path) -> None:
        self._store = BlockStore.open(folder, embedder=_EMBEDDER)
        self._builder = ContextBuilder(self._store, _REMEMBERED)
        self._searches: dict[User, tuple[CorpusRetriever, int]] = {}
        self._lists: dict[User, Iterator[Document]] = {}
        self._payloads: dict[User, ContextPayload] = {}
        self._loop = asyncio.new_event_loop()
        self._loop.set_default_executor(_AtOnce())

    def begin(self) -> None:
        """Forget what belongs to the last sequence."""
        self._searches, self._lists, self._payloads = {}, {}, {}

    def change(self, method: str, workspace: str, args: list[Any], named: dict[str, Any]) -> bool:
        """Call a method that writes; False if it refuses."""
        try:
            self._loop.run_until_complete(
                getattr(self._store, method)(*args, workspace=workspace, **named)
            )
        except ContextError as error:
            if "IsBusy" in type(error).__name__:
                raise
            return False
        return True

    def readable(self, user: User) -> dict[str, str]:
        """The titles of the blocks that a user may read."""
        documents = self._store.corpus.for_principal(user.principal).documents()
        return {each.id: each.title for each in documents}

    def own(self, workspace: str) -> dict[str, tuple[object, ...]]:
        """Who may read each block, which block says so, and what it is."""
        corpus = self._store.corpus.for_principal(Principal(workspace, sees_all=True))
        tree = RecordTree(self._store.corpus, workspace)
        found: dict[str, tuple[object, ...]] = {}
        for each in corpus.get([each.id for each in corpus.documents()]):
            who = tree.readers_of(each.id)
            names = sorted([*who.users, *(f"group {group}" for group in who.groups)])
            known = each.parent, each.title, each.text
            found[each.id] = (None if who.everybody else names, who.said_by, *known)
        return found

    def build(self, user: User, focus: str | None, named: list[str]) -> dict[str, Any]:
        """All that a payload tells, and the blocks that its items are made of."""
        request = ContextRequest(
            query=WORDS,
            user=user,
            focus=Focus(page_id=focus),
            hints=ContextHints(include_blocks=named, max_depth=2),
        )
        try:
            payload = self._loop.run_until_complete(self._builder.build(request))
        except ContextError as error:
            return {"text": str(error).replace(str(focus), ""), "documents": []}
        self._payloads[user] = payload
        told = [payload.serialized, payload.sections, payload.result.receipt.model_dump_json()]
        items = [each for section in payload.sections for each in section.items]
        ids = {name for each in items for name in (each.block_id, *each.documents) if name}
        return {"text": repr(told), "documents": sorted(ids)}

    def complaints(self, user: User) -> tuple[list[str], list[str]] | None:
        """The blocks of the last payload, and those that are no longer for its user."""
        payload = self._payloads.get(user)
        if payload is None:
            return None
        problems = self._builder.validate(payload).problems
        hidden = [each.split("'")[3] for each in problems if each.startswith("permission")]
        items = [each for section in payload.sections for each in section.items]
        return sorted({name for each in items for name in each.documents}), hidden

    def page(self, user: User) -> str:
        """The next page of a search; the first one says of which version all are."""
        corpus = self._store.corpus.for_principal(user.principal)
        settings = {"retriever_id": "keyword", "dedupe": None}
        search, offset = self._searches.get(user) or (corpus.retriever(settings), 0)
        pack = search(ContextRetrieverRequest(query=WORDS, offset=offset, limit=1))
        self._searches[user] = search, (offset + 1 if pack.evidence_count else 0)
        return repr([(each.text, each.evidence_item_id, each.metadata) for each in pack.blocks])

    def listed(self, user: User) -> tuple[str, str] | None:
        """The next block of a list that is being gone through."""
        corpus = self._store.corpus.for_principal(user.principal)
        documents = self._lists.setdefault(user, corpus.documents())
        for each in islice(documents, 1):
            return each.id, each.title
        del self._lists[user]
        return None

    def exported(self, user: User) -> str:
        """All records that a user may read, as lines."""
        return json.dumps([*self._store.corpus.for_principal(user.principal).export_lines()])


def serve(pipe: Connection, folder: str) -> None:
    """Do what is asked until the pipe is closed."""
    worker = RightsWorker(Path(folder))
    pipe.send("ready")
    while True:
        try:
            method, args = pipe.recv()
        except EOFError:
            return
        try:
            pipe.send((True, getattr(worker, method)(*args)))
        except Exception as error:  # raised again in the process of the campaign
            pipe.send((False, repr(error)))
