"""Recorded answers replace retrievers: recorded blocks are served page by page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from biblicus_context.base.effects import TookTooLongError
from biblicus_context.retrieval.packs.pack import ContextPack, ContextPackBlock
from biblicus_context.retrieval.requests.request import ContextRetrieverRequest
from biblicus_context.spec.recorded import FailureSpec


class RecordedError(Exception):
    """Raised by a retriever that a test declares to fail."""


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """The answer of one retriever, the same for every request."""

    blocks: tuple[ContextPackBlock, ...] = ()
    failure: FailureSpec | None = None
    too_late: bool = False
    """Whether it takes longer than the plan allows; the test does not wait for it."""

    def page(self, request: ContextRetrieverRequest) -> ContextPack:
        """The blocks this request is about."""
        if self.too_late:
            raise TookTooLongError
        if self.failure is not None and request.offset >= self.failure.offset:
            raise RecordedError(self.failure.message)
        page = list(self.blocks[request.offset : request.offset + request.limit])
        return ContextPack(text="", evidence_count=len(page), blocks=page)


@dataclass(frozen=True, slots=True)
class RecordedRetrievers:
    """Every retriever of one call; it collects the names without a recording."""

    answers: Mapping[str, RecordedAnswer]
    unknown: set[str] = field(default_factory=set)

    def __call__(self, request: ContextRetrieverRequest) -> ContextPack | None:
        name = str(request.metadata["retriever"])
        if name in self.answers:
            return self.answers[name].page(request)
        self.unknown.add(name)
        return None
