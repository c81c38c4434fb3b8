"""A retriever over a corpus: a request in, a pack out that keeps within it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from biblicus_context.base.bounded_memory import BoundedMemory
from biblicus_context.corpora.parts import Parts
from biblicus_context.corpora.search.evidence import Evidence, pack_block
from biblicus_context.corpora.search.searcher import Page, Pin, Searcher
from biblicus_context.corpora.search_settings import retriever_spec
from biblicus_context.errors import PlanError, UnknownNameError
from biblicus_context.retrieval.packs.pack import ContextPack, RepeatedBlock
from biblicus_context.retrieval.requests.request import ASSEMBLY, ContextRetrieverRequest
from biblicus_context.retrieval.requests.templates import has_placeholders
from biblicus_context.spec.retriever_settings import TEMPLATE_SETTINGS
from biblicus_context.stores import VersionGoneError
from biblicus_context.text.counters import Counter, Counters, default_counter

if TYPE_CHECKING:
    from biblicus_context.corpora.corpus import Corpus

_MOST_REMEMBERED: Final = 64


class CorpusRetriever:
    """Answers requests from one corpus, page by page of one version of it.

    All requests of one assembly are answered from one version, so an ingest between two pages
    neither repeats nor loses a block. Where no assembly is named, pages after the first are of the
    version that the last first page of their query was of: callers who may ask the same at once
    name an assembly each.
    """

    def __init__(
        self,
        corpus: Corpus,
        settings: Mapping[str, Any],
        parts: Parts | None = None,
        *,
        place: str,
        counters: Counters | None = None,
    ) -> None:
        self._corpus = corpus
        self._counters = counters or Counters()
        self._settings = settings
        self._parts = parts or Parts()
        self._place = place
        self._pins = BoundedMemory[str, Pin](_MOST_REMEMBERED)
        self._searchers = BoundedMemory[str, Searcher](_MOST_REMEMBERED)
        self._templates = [key for key in TEMPLATE_SETTINGS if has_placeholders(settings.get(key))]
        self.spec, _ = retriever_spec(settings, self._parts, place=place)
        if not self._templates:
            self._searcher({})

    def __call__(self, request: ContextRetrieverRequest) -> ContextPack:
        """One page; what does not fit into the request is passed over."""
        searcher = self._searcher(request.metadata)
        page = self._page(searcher, request)
        counter = self._counter(request.counter)
        chosen = searcher.filling.chosen(page.evidence, request, counter)
        return ContextPack(
            text=searcher.spec.join_with.join(each.block.text for each in chosen),
            # By the page, not by what fitted: the engine asks on while pages come back full.
            evidence_count=page.hits,
            blocks=[pack_block(each, searcher.spec) for each in chosen],
            repeated=[
                RepeatedBlock(evidence_item_id=each.evidence.block.id, reason=each.reason)
                for each in page.dropped
            ],
        )

    def __repr__(self) -> str:
        kind = self._settings.get("retriever_id", self._parts.retrievers.default)
        return f"{type(self).__name__}({kind!r}, corpus={self._corpus.name!r})"

    def evidence(self, query: str, *, offset: int, limit: int) -> list[Evidence]:
        """The blocks of one page, best first."""
        request = ContextRetrieverRequest(query=query, offset=offset, limit=limit)
        return [*self._page(self._searcher({}), request).evidence]

    def _counter(self, name: str | None) -> Counter:
        try:
            return self._counters.get(name) if name is not None else default_counter()
        except UnknownNameError:  # an assembler's own, of which this retriever was not told
            return default_counter()

    def _page(self, searcher: Searcher, request: ContextRetrieverRequest) -> Page:
        try:
            return self._page_at(searcher, request, self._pin(request))
        except VersionGoneError:  # somebody paused for longer than versions are kept
            return self._page_at(searcher, request, self._newest(request))

    def _page_at(self, searcher: Searcher, request: ContextRetrieverRequest, pin: Pin) -> Page:
        return searcher.page(request.query, offset=request.offset, limit=request.limit, pin=pin)

    def _pin(self, request: ContextRetrieverRequest) -> Pin:
        assembly = request.metadata.get(ASSEMBLY)
        if isinstance(assembly, str):
            return self._corpus.pin(assembly)
        pinned = self._pins.get(request.query) if request.offset > self.spec.offset else None
        return self._newest(request) if pinned is None else pinned

    def _newest(self, request: ContextRetrieverRequest) -> Pin:
        assembly = request.metadata.get(ASSEMBLY)
        if isinstance(assembly, str):
            return self._corpus.pin_again(assembly)
        pin = self._corpus.newest()
        self._pins.put(request.query, pin)
        return pin

    def _searcher(self, told: Mapping[str, Any]) -> Searcher:
        """What searches by the settings; where they wait for values, by those the engine filled in."""
        values = {key: self._filled(key, told) for key in self._templates}
        return self._searchers.get_or_compute(
            json.dumps(values, sort_keys=True, default=repr),
            lambda: Searcher(
                self._corpus, {**self._settings, **values}, self._parts, place=self._place
            ),
        )

    def _filled(self, key: str, told: Mapping[str, Any]) -> Any:
        """What the engine made of a setting with placeholders; as it is written, it finds nothing."""
        if key not in told:
            raise PlanError(
                "placeholders are filled where a context inserts the retriever",
                place=f"{self._place}.{key}",
                found=self._settings[key],
                fix="Write values in their place, or assemble a context that inserts it.",
            )
        return told[key]
