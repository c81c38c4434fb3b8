"""Recorded answers replace retrievers: recorded blocks are served page by page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from biblicus_context.base.effects import TookTooLongError
from biblicus_context.retrieval.packs.pack import ContextPack, ContextPackBlock
from biblicus_context.retrieval.requests.abilities import FillsShare
from biblicus_context.retrieval.requests.request import ContextRetrieverRequest
from biblicus_context.spec.recorded import FailureSpec


class RecordedError(Exception):
    """Raised by a retriever that a test declares to fail."""


@dataclass(frozen=True, slots=True)
class RecordedAnswer(FillsShare):
    """The answer of one retriever, the same for every request."""

    blocks: tuple[ContextPackBlock, ...] = ()
    failure: FailureSpec | None = None
    too_late: bool = False
    """Whether it takes longer than the plan allows; the test does not wait for it."""

    def fills_share(self, *, over_corpus: bool) -> bool:
        """As the retriever does that is recorded."""
        return over_corpus

    def __call__(self, request: ContextRetrieverRequest) -> ContextPack:
        """As a retriever."""
        return self.page(request)

    def page(self, request: ContextRetrieverRequest) -> ContextPack:
        """The blocks this request is about."""
        if self.too_late:
            raise TookTooLongError
        if self.failure is not None and request.offset >= self.failure.offset:
            raise RecordedError(self.failure.message)
        end = request.offset + request.limit
        page = list(self.blocks[request.offset : end])
        more = end < len(self.blocks)
        return ContextPack(text="", evidence_count=len(page), blocks=page, more=more)


@dataclass(frozen=True, slots=True)
class RecordedRetrievers(FillsShare):
    """Every retriever of one call; it collects the names without a recording."""

    answers: Mapping[str, RecordedAnswer]
    unknown: set[str] = field(default_factory=set)

    def fills_share(self, *, over_corpus: bool) -> bool:
        """As the retriever does that is recorded."""
        return over_corpus

    def __call__(self, request: ContextRetrieverRequest) -> ContextPack | None:
        name = str(request.metadata["retriever"])
        if name in self.answers:
            return self.answers[name].page(request)
        self.unknown.add(name)
        return None
