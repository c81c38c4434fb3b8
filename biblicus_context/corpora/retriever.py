"""A retriever over a corpus: a request in, a pack out that keeps within it."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from biblicus_context.corpora.evidence import Evidence, Found, pack_block
from biblicus_context.corpora.registry import Ranker
from biblicus_context.corpora.remembered import Remembered
from biblicus_context.retrieval.pack import ContextPack
from biblicus_context.retrieval.request import ContextRetrieverRequest
from biblicus_context.spec.retriever_settings import SearchSpec
from biblicus_context.stores import Filters, VersionGoneError
from biblicus_context.text.counters import default_counter

if TYPE_CHECKING:
    from biblicus_context.corpora.corpus import Corpus

_FEW: Final = 100
_RANKINGS: Final = 16
"""Rankings that are kept: each may be of some thousand blocks."""


class _Ranking(NamedTuple):
    """The best of a ranking; `asked` is how many there were to be."""

    asked: int
    found: Sequence[Found]

    def reaches(self, most: int) -> bool:
        """Whether more of them would be no more than these."""
        return len(self.found) >= most or self.is_whole

    @property
    def is_whole(self) -> bool:
        """Whether nothing else was found."""
        return len(self.found) < self.asked


class CorpusRetriever:
    """Answers requests from one corpus, page by page of one version of it.

    Pages after the first are of the version that the first page of their query was of, so that
    an ingest between two pages neither repeats nor loses a block.
    """

    def __init__(self, corpus: Corpus, spec: SearchSpec, ranker: Ranker, *, place: str) -> None:
        self.spec = spec
        self._corpus = corpus
        self._ranker = ranker
        self._filters = Filters.parse(spec.filters, place=f"{place}.filters")
        self._versions = Remembered[str, int]()
        self._rankings = Remembered[tuple[str, int], _Ranking](_RANKINGS)

    def __call__(self, request: ContextRetrieverRequest) -> ContextPack:
        """One page; what does not fit into the request is passed over."""
        page = self.evidence(request.query, offset=request.offset, limit=request.limit)
        chosen = self._fitting(page, request)
        return ContextPack(
            text=self.spec.join_with.join(each.block.text for each in chosen),
            # By the page, not by what fitted: the engine asks on while pages come back full.
            evidence_count=len(page),
            blocks=[pack_block(each, self.spec) for each in chosen],
        )

    def evidence(self, query: str, *, offset: int, limit: int) -> list[Evidence]:
        """The blocks of one page, best first."""
        try:
            return self._page(query, offset, limit, self._version(query, offset))
        except VersionGoneError:  # somebody paused for longer than versions are kept
            return self._page(query, offset, limit, self._newest(query))

    def _version(self, query: str, offset: int) -> int:
        pinned = self._versions.get(query) if offset > self.spec.offset else None
        return self._newest(query) if pinned is None else pinned

    def _newest(self, query: str) -> int:
        version = self._corpus.store.version(self._corpus.principal)
        self._versions.put(query, version)
        return version

    def _page(self, query: str, offset: int, limit: int, version: int) -> list[Evidence]:
        found = self._ranked(query, version, offset + limit)[offset : offset + limit]
        return self._corpus.evidence(found, at=version)

    def _ranked(self, query: str, version: int, most: int) -> Sequence[Found]:
        """The best of the ranking, as many as asked for if there are so many."""
        wanted = most
        while True:
            ranking = self._ranking(query, version, wanted)
            found = self._capped(ranking.found)
            if len(found) >= most or ranking.is_whole:
                return found
            wanted = 2 * len(ranking.found)

    def _ranking(self, query: str, version: int, most: int) -> _Ranking:
        known = self._rankings.get((query, version))
        if known is not None and known.reaches(most):
            return known
        asked = max(most, _FEW)
        question = self._corpus.question(query, self._filters, at=version)
        ranking = _Ranking(asked, self._ranker(question, self.spec, asked))
        self._rankings.put((query, version), ranking)
        return ranking

    def _capped(self, found: Sequence[Found]) -> Sequence[Found]:
        most = self.spec.maximum_items_per_source
        if most is None:
            return found
        seen: Tally[str] = Tally()
        kept = []
        for each in found:
            seen[each.document_id] += 1
            if seen[each.document_id] <= most:
                kept.append(each)
        return kept

    def _fitting(
        self, page: Sequence[Evidence], request: ContextRetrieverRequest
    ) -> list[Evidence]:
        """In order, passing over what does not fit; the best one is never held back."""
        texts = [each.block.text + self.spec.join_with for each in page]
        kept = [*self._filled(page, texts, request)]
        return kept or list(page[:1])

    def _filled(
        self, page: Sequence[Evidence], texts: Sequence[str], request: ContextRetrieverRequest
    ) -> Iterator[Evidence]:
        characters, tokens = _room(self._characters(request)), _room(request.max_tokens)
        counts = default_counter().count_many(texts) if request.max_tokens else [0] * len(texts)
        for evidence, text, count in zip(page, texts, counts, strict=True):
            if len(text) <= characters and count <= tokens:
                characters -= len(text)
                tokens -= count
                yield evidence

    def _characters(self, request: ContextRetrieverRequest) -> int | None:
        """The author's limit; the request's is a guess at the tokens, where those are not said."""
        if request.max_tokens is None:
            return request.maximum_total_characters
        return self.spec.maximum_total_characters


def _room(most: int | None) -> float:
    return float("inf") if most is None else most
