"""A summary, written by a function of the caller."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Annotated, Final, TypeAlias

from pydantic import Field

from biblicus_context.base.bounded_memory import BoundedMemory
from biblicus_context.base.effects import Effect, Effectful, Outcome, perform
from biblicus_context.base.outlines import outline_of
from biblicus_context.errors import CompactorError
from biblicus_context.spec.base import NameOrSettings
from biblicus_context.text.compactors.compactor import (
    BaseCompactor,
    CompactionRequest,
    CompactorFunction,
    CompactorParts,
    CompactorSettings,
    EffectfulCompactor,
)
from biblicus_context.text.compactors.truncate import TruncateCompactor
from biblicus_context.text.cutting.cutting import fits

_Key: TypeAlias = tuple[bytes, int, str, str]
_MOST_ANSWERS: Final = 256


@dataclass(frozen=True)
class SummarizeCompactor(EffectfulCompactor):
    """Calls a function for a summary, such as one that calls a model, and remembers the answer.

    >>> SummarizeCompactor(lambda request: "In short.").compact(CompactionRequest("Long. " * 9, 5))
    'In short.'
    """

    function: CompactorFunction
    fallback: BaseCompactor | None = field(default_factory=TruncateCompactor)
    timeout_seconds: float | None = None
    answers: BoundedMemory[_Key, str] = field(
        default_factory=lambda: BoundedMemory(_MOST_ANSWERS), repr=False, compare=False
    )

    def shorten(self, request: CompactionRequest) -> Effectful[str]:
        """The summary, or what the fallback makes of the text."""
        if request.max_tokens <= 0:
            return ""
        if fits(request.text, request.max_tokens, request.counter):
            return request.text
        key = _key(request)
        known = self.answers.get(key)
        if known is not None:
            return known
        outcome = yield from perform(Effect(self.function, request, self.timeout_seconds))
        if _failure(outcome):
            return (yield from self._instead(request, outcome))
        summary = yield from self._made_to_fit(replace(request, text=outcome.value))
        self.answers.put(key, summary)
        return summary

    def _instead(self, request: CompactionRequest, outcome: Outcome) -> Effectful[str]:
        if self.fallback is None:
            raise CompactorError(
                f"the summarizer {_failure(outcome)}, and there is no fallback",
                fix="Set a fallback compactor.",
            ) from outcome.error
        return (yield from self.fallback.shorten(request))

    def _made_to_fit(self, request: CompactionRequest) -> Effectful[str]:
        if fits(request.text, request.max_tokens, request.counter):
            return request.text
        return (yield from (self.fallback or TruncateCompactor()).shorten(request))


@dataclass(frozen=True)
class SummarizeSettings(CompactorSettings):
    """Has a function of the caller write a summary, such as one that calls a model."""

    using: Annotated[
        str | None,
        Field(description="Name of a callable in the compactor registry; absent: the summarizer."),
    ] = None
    fallback: Annotated[
        NameOrSettings | None,
        Field(description="Compactor to use if the function fails; null: its failure is an error."),
    ] = "truncate"
    timeout_seconds: Annotated[
        float | None,
        Field(gt=0, allow_inf_nan=False, description="How long one call may take.", examples=[20]),
    ] = None

    def build(self, parts: CompactorParts) -> BaseCompactor:
        """A compactor that calls the function that `using` names."""
        fallback = None if self.fallback is None else parts.compactor(self.fallback)
        return SummarizeCompactor(parts.summarizer(self.using), fallback, self.timeout_seconds)


def _key(request: CompactionRequest) -> _Key:
    import hashlib  # loads OpenSSL, and few calls need it

    # A digest, as the text may be long; surrogates pass, as no text may make this fail.
    digest = hashlib.blake2b(request.text.encode(errors="surrogatepass"), digest_size=16).digest()
    return digest, request.max_tokens, request.query, request.counter.name


def _failure(outcome: Outcome) -> str | None:
    """What is wrong with an answer; None if it is a summary."""
    if outcome.error is not None:
        return f"raised {outline_of(outcome.error)[:200]}"
    if not isinstance(outcome.value, str):
        return f"returned {type(outcome.value).__name__} instead of text"
    return None if outcome.value.strip() else "returned no text"
