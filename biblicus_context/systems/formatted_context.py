"""A context that searches filled, as Markdown and as its items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from biblicus_context import Citation, ContextAssembler, ContextAssemblyResult
from biblicus_context.systems.asked_once import AskedOnce
from biblicus_context.systems.structured_log import warn
from biblicus_context.systems.typed_records import Hit

_SOFT: Final = 1.25


@dataclass(frozen=True, slots=True)
class ContextItem:
    """One item of a context, as it is written there; the source is its kind."""

    source: str
    content: str
    relevance: float
    metadata: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class FormattedContext:
    """A context as Markdown; `limit_exceeded` is possible with `soft=True` only."""

    markdown: str
    items: tuple[ContextItem, ...]
    token_count: int
    sources_used: Mapping[str, int] = field(default_factory=dict)
    limit_exceeded: bool = False


async def formatted(
    engine: ContextAssembler,
    context: str,
    inputs: Mapping[str, Any],
    asked: AskedOnce[Hit[Any]],
    max_tokens: int,
    *,
    soft: bool,
) -> FormattedContext:
    """A context of a plan that is one system text; `soft` lets a quarter more through, and says so."""
    budget = int(max_tokens * _SOFT) if soft else max_tokens
    result = await engine.aassemble(
        context, inputs=inputs, budget=budget, retriever_override=asked.answer
    )
    items: list[ContextItem] = []
    for citation, text in _placed(result):
        hit = asked.hits[citation.evidence]
        known = hit.item.model_dump(mode="json")
        items.append(ContextItem(citation.kind or "", text, hit.relevance, known))
    tokens, used = result.token_count, dict(Counter(each.source for each in items))
    if tokens > max_tokens:
        warn("limit exceeded", max_tokens=max_tokens, token_count=tokens)
    text, is_over = result.system_prompt, tokens > max_tokens
    return FormattedContext(text, tuple(items), tokens, used, is_over)


def _placed(result: ContextAssemblyResult) -> Iterator[tuple[Citation, str]]:
    """The evidence that is placed, in the order of the text, each with its text."""
    pieces = (piece for span in result.spans for piece in span.pieces if piece.is_block)
    for citation, piece in zip(result.citations, pieces, strict=True):
        yield citation, result.system_prompt[piece.start : piece.end]
