"""Models that are read from files or commits: each is a document, or a section of one."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Final, Generic, Literal, TypeVar

from biblicus_context.base import door, path_of
from biblicus_context.corpora import Corpus, Evidence, RelevantItems, ranked_items, read_in_thread
from biblicus_context.embedders import Embedder
from biblicus_context.ingest import Summary
from biblicus_context.spec import CorpusDeclaration
from biblicus_context.stores import Principal, is_address

Item = TypeVar("Item")

_APART: Final = {"least": 0}
"""Short functions share no block, so that each is found as itself."""


@door
class IndexedModels(Generic[Item]):
    """The models in an index, by workspace; `read` makes one of a hit, and `kind` is that of its document.

    >>> import asyncio
    >>> from tempfile import mkdtemp
    >>> from biblicus_context.systems.learning.code_unit import CodeUnit, code_unit
    >>> code = IndexedModels[CodeUnit](mkdtemp(), code_unit, kind="code")
    >>> asyncio.run(code.relevant("clock", "acme", limit=3))
    []
    """

    def __init__(
        self,
        place: str | Path,
        read: Callable[[Evidence], Item],
        *,
        kind: str,
        each: Literal["document", "section"] = "document",
        embedder: Embedder | None = None,
    ) -> None:
        """With `each="section"` a model is a section of a document, such as a function of a file."""
        self._place = place if is_address(place) else path_of(place, "place")
        self._read, self._kind = read, kind
        self._is_document = each == "document"
        self._embedder = embedder
        self.corpus = Corpus.open_records(self._place, name=kind, embedder=embedder)

    async def ingest(self, root: str | Path, workspace_id: str, **settings: Any) -> Summary:
        """Read what has changed below a folder; `settings` are those of a declared corpus."""
        chunks = {} if self._is_document else {"chunks": _APART}
        config = {"root": str(root), **chunks, **settings}
        return await to_thread(self._ingest, config, Principal(workspace_id))

    async def relevant(
        self, query: str, workspace_id: str, /, *, limit: int, **settings: Any
    ) -> RelevantItems[Item]:
        """The models that match, most relevant first; `settings` are those of `Corpus.search`."""
        corpus = self.corpus.for_principal(Principal(workspace_id))
        read = partial(self._relevant, corpus, query, limit, settings)
        return await read_in_thread(corpus, read)

    async def documents(self, workspace_id: str) -> list[str]:
        """The ids of the documents: paths of files, or commits."""
        corpus = self.corpus.for_principal(Principal(workspace_id))
        return await to_thread(lambda: [each.id for each in corpus.documents()])

    async def remove(self, ids: Sequence[str], workspace_id: str) -> None:
        """Remove documents by id; the next ingest of what is still there writes them again."""
        corpus = self.corpus.for_principal(Principal(workspace_id))
        await to_thread(corpus.remove, ids)

    async def clear(self, workspace_id: str) -> None:
        """Remove all of a workspace."""
        corpus = self.corpus.for_principal(Principal(workspace_id))
        await to_thread(corpus.clear)

    async def remains_until(self, workspace_id: str) -> datetime | None:
        """Until when files may hold bytes of what an ingest replaced or removed; None: none do."""
        corpus = self.corpus.for_principal(Principal(workspace_id))
        return await to_thread(lambda: corpus.remains_until)

    async def purge(self, workspace_id: str, timeout: float = 60.0) -> None:
        """Erase what an ingest replaced or removed; waits so many seconds for reads of it."""
        corpus = self.corpus.for_principal(Principal(workspace_id))
        await to_thread(corpus.purge, timeout)

    async def embed_waiting(self, workspace_id: str, most: int | None = None) -> int:
        """Embed up to `most` blocks (None: all) that wait for their vectors; returns how many still wait."""
        corpus = self.corpus.for_principal(Principal(workspace_id))
        return await to_thread(corpus.embed_waiting, most)

    def close(self) -> None:
        """Close the store."""
        self.corpus.close()

    def _ingest(self, config: dict[str, Any], principal: Principal) -> Summary:
        declared = CorpusDeclaration(name=self._kind, config=config)
        own: dict[str, Any] = {"principal": principal, "embedder": self._embedder}
        with Corpus.open(declared, store=self._place, **own) as corpus:
            return corpus.ingest()

    def _relevant(
        self, corpus: Corpus, query: str, limit: int, settings: Mapping[str, Any]
    ) -> RelevantItems[Item]:
        most = 1 if self._is_document else None
        own: dict[str, Any] = {"filters": {"kind": self._kind}, "maximum_items_per_source": most}
        found, relevance = corpus.judged_search(query, limit=limit, **{**own, **settings})
        return ranked_items(map(self._read, found), corpus.likeness(query, found), relevance)
