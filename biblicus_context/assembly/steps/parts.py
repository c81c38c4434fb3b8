"""Parts: a context's directives once their texts are rendered and their names are resolved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from biblicus_context.assembly.call import RetrieverFunction
from biblicus_context.assembly.division import Claim
from biblicus_context.base.effects import Effect, Effectful, Outcome, perform
from biblicus_context.retrieval.packs.writing.pack_format import PackFormat
from biblicus_context.retrieval.requests.abilities import (
    FillsShare,
    InTwoSteps,
    TwoWays,
)
from biblicus_context.retrieval.requests.request import DEFAULT_LIMIT, ContextRetrieverRequest
from biblicus_context.retrieval.requests.settings import RequestSettings
from biblicus_context.spec.context import ContextDeclaration
from biblicus_context.spec.directive import HistoryInsertSpec
from biblicus_context.spec.pack import PackOptions

if TYPE_CHECKING:
    from biblicus_context.retrieval.choosing.combination import Combination
    from biblicus_context.spec.combined import SourceSpec

Role: TypeAlias = Literal["system", "user", "assistant"]
Names: TypeAlias = Mapping[str, Any]


class TextPart(NamedTuple):
    """A message an author wrote; `render` gives its text, from names that may include packs."""

    place: str
    role: Role
    text: str
    render: Callable[[Names], str] | None = None
    shrink: bool = False
    priority: int = 0
    is_fallback: bool = False
    """Whether this is the caller's message, placed only where the plan has no user message."""

    def text_with(self, names: Names) -> str:
        """The text; rendered again where it quotes packs."""
        return self.render(names) if self.render else self.text


class RetrieverSource(NamedTuple):
    """A pack that a retriever answers."""

    settings: RequestSettings
    function: RetrieverFunction | None
    parallel: bool | None = None
    """Whether it may be asked in other threads; None: only to keep an event loop free."""
    combined: CombinedSources | None = None
    """The retrievers that it combines, instead of a function."""

    @property
    def corpus(self) -> str | None:
        """The corpus that is searched; of a combined retriever, the one that all its sources search."""
        if self.combined is None:
            return self.settings.corpus
        found = {source.corpus for _, source in self.combined.sources}
        return found.pop() if len(found) == 1 else None

    def asked(self, request: ContextRetrieverRequest, timeout: float | None) -> Effectful[Outcome]:
        """The answer to a request for a page; the time limit is that of the retriever alone."""
        function = self.function
        assert function is not None
        awaited = function.asynchronous if isinstance(function, TwoWays) else None
        about = {name: request.metadata.get(name) for name in ("retriever", "corpus")}
        traced = ("retrieve", {**about, "offset": request.offset, "limit": request.limit})
        if not isinstance(function, InTwoSteps):
            effect = Effect(function, request, timeout, awaited, self.parallel, span=traced)
            return (yield from perform(effect))
        first, computes, joins = function.unfinished, function.computes, function.joins
        found = yield from perform(
            Effect(first, request, timeout, awaited, self.parallel, computes, joins, traced)
        )
        if found.error is not None:
            return found
        return Outcome((yield from function.finished(found.value, request)))

    def limit(self, share: int | None) -> int:
        """The blocks of one request: the author's limit, or what the share holds, or three."""
        if self.settings.limit is not None:
            return self.settings.limit
        # Every block has a token at least.
        return DEFAULT_LIMIT if share is None or not self.fills_share else share

    @property
    def has_limit(self) -> bool:
        """Whether a number of blocks ends its answer, and not the tokens of a request."""
        return self.settings.limit is not None or not self.fills_share

    @property
    def fills_share(self) -> bool:
        """Whether it returns what the tokens of a request hold, and no more."""
        if self.combined:
            return True
        if not isinstance(self.function, FillsShare):
            return False
        return self.function.fills_share(over_corpus=self.settings.over_corpus)

    @property
    def with_own_queries(self) -> Iterator[RetrieverSource]:
        """What it combines and is asked something else than itself."""
        for _, source in self.combined.sources if self.combined else ():
            if source.settings.query:
                yield source
            yield from source.with_own_queries


class CombinedSources(NamedTuple):
    """The sources of a combined retriever, and how they become one ranking."""

    combination: Combination
    sources: tuple[tuple[SourceSpec, RetrieverSource], ...]


class NestedSource(NamedTuple):
    """A pack that is another context."""

    context: ContextDeclaration


class PackPart(NamedTuple):
    """A pack to insert."""

    place: str
    options: PackOptions
    source: RetrieverSource | NestedSource
    looks_back: bool = False
    """Whether its query or texts quote packs placed earlier, so that it has to wait for them."""
    quoted: bool = False
    """Whether it is placed only where later texts quote it."""
    copies: int = 1
    """How often it is placed; 0 where no text of this call quotes it."""
    claim: Claim = Claim()
    form: PackFormat | None = None
    """How it is written, where the plan says that."""

    @property
    def name(self) -> str:
        """The retriever's or the context's name."""
        return self.options.name


class HistoryPart(NamedTuple):
    """The conversation so far."""

    place: str
    spec: HistoryInsertSpec


class FirstPart(NamedTuple):
    """Alternatives, of which the first that fits is placed."""

    place: str
    alternatives: tuple[TextPart | PackPart, ...]
    claim: Claim | None = None
    """None where no alternative is a pack."""


Part: TypeAlias = TextPart | PackPart | HistoryPart | FirstPart
