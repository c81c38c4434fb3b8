"""What the sources of a combined retriever said so far."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from biblicus_context.errors import RetrieverError
from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.choosing.left_out import LeftOut
from biblicus_context.retrieval.packs.pack import LeftOutBlock
from biblicus_context.retrieval.relevance import Relevance
from biblicus_context.retrieval.requests.request import PageRequest

if TYPE_CHECKING:
    from biblicus_context.retrieval.choosing.choose import Sifted


class SourceState(NamedTuple):
    """What is known of one source so far."""

    name: str
    query: str
    requests: int = 0
    pages: int = 0
    offered: int = 0
    next_page: PageRequest | None = None
    """None where nothing more is expected."""
    holds_back: bool = False
    """Whether it has more, but kept to its budget."""
    failure: str = ""
    warnings: tuple[str, ...] = ()
    left_out: tuple[LeftOutBlock, ...] = ()
    """What it found and leaves out itself."""
    relevance: Relevance | None = None
    """Whether anything that it found is relevant, where it decides it."""
    is_settled: bool = False
    """Whether the next page takes what it offered already, and does not ask it."""
    inner: CombinedState | None = None
    """Of a source that is itself combined."""
    error: RetrieverError | None = None
    """Its failure, where that ends the combined retriever."""

    def for_larger_share(self) -> SourceState:
        """Asked again if it kept to its budget; else what it offered is all that there is."""
        if not self.holds_back:
            return self._replace(is_settled=True)
        return self._replace(
            pages=0,
            offered=0,
            next_page=None,
            holds_back=False,
            left_out=(),
            inner=self.inner.for_larger_share() if self.inner else None,
        )


class Seconds(NamedTuple):
    """What the work of a combined retriever took."""

    search: float = 0.0
    rank: float = 0.0
    select: float = 0.0

    def plus(self, *times: float) -> Seconds:
        """With those of a further page; `times` are the moments at which each kind of work ended."""
        return Seconds(
            *(had + end - begin for had, (begin, end) in zip(self, pairwise(times), strict=True))
        )


class RankedOffers(NamedTuple):
    """The offers as they were ranked: for the same question and another share, they are so again."""

    asked: tuple[object, ...]
    """What the order depends on."""
    order: Sequence[Candidate]
    """All of them, best first."""
    taken: tuple[object, ...]
    """What may not be placed: what is on earlier pages, and what another pack has."""
    sifted: Sifted
    elsewhere: tuple[LeftOut, ...]
    """What another pack has."""


class CombinedState(NamedTuple):
    """What is known after some pages of a combined retriever."""

    sources: tuple[SourceState, ...]
    offers: tuple[Candidate, ...] = ()
    """Everything that was offered, in the order of arrival."""
    placed: tuple[Candidate, ...] = ()
    """What is on its pages."""
    left_out: tuple[LeftOut, ...] = ()
    """What was offered, and is on none of its pages so far."""
    seconds: Seconds = Seconds()
    ranked: RankedOffers | None = None
    """The last ranking."""
    error: RetrieverError | None = None
    """What ended it: the failure of a source that may not be skipped, or of the ranking."""

    @property
    def requests(self) -> int:
        """The requests to all sources."""
        return sum(each.requests for each in self.sources)

    def to_choose_again(self) -> CombinedState:
        """Nothing placed; what the sources offered is all that there is."""
        sources = tuple(each._replace(is_settled=True) for each in self.sources)
        return CombinedState(sources, self.offers, seconds=self.seconds, ranked=self.ranked)

    def for_larger_share(self) -> CombinedState:
        """Nothing placed, and without the offers of sources that will be asked for more."""
        kept = {each.name for each in self.sources if not each.holds_back}
        return CombinedState(
            tuple(each.for_larger_share() for each in self.sources),
            tuple(each for each in self.offers if kept.issuperset(each.found_by)),
            seconds=self.seconds,
            ranked=self.ranked,
        )
