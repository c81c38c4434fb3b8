"""What goes into a prime context, and what comes out of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, Self, TypeAlias

from pydantic import AwareDatetime, BaseModel, ConfigDict, NonNegativeInt

import biblicus_context as engine
from biblicus_context import ContextAssemblyResult as Result
from biblicus_context.assembly import ReceiptBlock, explanation
from biblicus_context.base import door
from biblicus_context.retrieval import Candidate, Verdict
from biblicus_context.systems.prime.citation_manager import CitationManager, SourceCitation

ItemType: TypeAlias = Literal["file", "chunk", "message", "reference"]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ItemMetadata(_Model):
    """Where an item comes from, and why it was found."""

    path: str | None = None
    created_at: AwareDatetime | None = None
    matched_keywords: tuple[str, ...] = ()
    search_rank: float | None = None


@door
class ContextItem(_Model):
    """One item of evidence; `usage` is how often it was useful, as a scorer gets it."""

    id: str
    type: ItemType
    content: str
    source: str
    relevance: float = 0.0
    tokens: NonNegativeInt
    excerpt: str | None = None
    usage: int = 0
    metadata: ItemMetadata = ItemMetadata()

    @classmethod
    def of(cls, found: Candidate) -> Self:
        """The item of a candidate of the plan."""
        return cls(
            id=found.id,
            type=type_of(found.found_by),
            content=found.text,
            source=found.source or found.id,
            relevance=found.score,
            tokens=found.tokens,
            usage=found.used + found.helpful,
            metadata=ItemMetadata(path=found.path, created_at=found.created),
        )

    @property
    def path(self) -> str | None:
        """The path of its file."""
        return self.metadata.path

    @property
    def citation_type(self) -> Literal["file", "document", "message"]:
        """Parts of files are cited as files."""
        return "message" if self.type == "message" else "file"


class ContextStats(_Model):
    """Files that the thread refers to, other files found, messages, and items left out."""

    explicit_count: int
    search_count: int
    history_count: int
    excluded_count: int


@door
class PrimeContext(_Model):
    """The context of one message: `text` is what to send, `receipt` the account of every item."""

    total_tokens: int
    items: tuple[ContextItem, ...]
    citations: tuple[SourceCitation, ...]
    stats: ContextStats
    text: str
    receipt: engine.Receipt
    verdict: Verdict | None = None
    """`found`, `weak` or `nothing` where it was decided whether a file is relevant."""
    skipped: tuple[str, ...] = ()
    """The sources that failed."""

    def __repr__(self) -> str:
        """What fits into a line; `explain()` shows what each item was given."""
        return f"<PrimeContext: {self.total_tokens:,} tokens, {len(self.items)} items>"

    def explain(self, width: int | None = None, *, details: bool = False) -> str:
        """The receipt as a table for people; `details` has a line for each block of evidence."""
        return explanation(self.receipt, width, details=details)

    @classmethod
    def of(
        cls,
        result: Result,
        words: Sequence[str],
        relevance: Mapping[str, float],
        verdict: Verdict | None = None,
    ) -> Self:
        """The context of an assembled plan; `relevance` is that of a scorer of the caller."""
        blocks = result.receipt.parts[0].blocks
        offered = {each.id: each for each in blocks}
        scores = {each.evidence: each.score or 0.0 for each in result.citations} | {**relevance}
        places = {name: place for place, name in enumerate(offered)}
        # Best first, whatever order they are read in.
        placed = sorted(result.citations, key=lambda each: places[each.evidence])
        items = [_item(c, offered[c.evidence], words, scores[c.evidence]) for c in placed]
        named = {(type_of(e.sources), e.source or e.id, e.id.rpartition("#")[0]) for e in blocks}
        found = Counter(kind for kind, *_ in named)  # a file has parts, another may have its path
        return cls(
            total_tokens=result.token_count,
            items=tuple(items),
            citations=tuple(CitationManager().generate_citations(items)),
            stats=ContextStats(
                explicit_count=found["reference"],
                search_count=found["file"],
                history_count=found["message"],
                excluded_count=len(offered) - len(items),
            ),
            text=result.system_prompt,
            receipt=result.receipt,
            verdict=verdict,
            skipped=tuple(e.name for e in result.receipt.parts[0].sources if e.failure),
        )


def type_of(sources: Iterable[str]) -> ItemType:
    """The type of what these sources of the plan found."""
    types: dict[str, ItemType] = {
        "named": "reference",
        "references": "reference",
        "history": "message",
    }
    return next((types[name] for name in sources if name in types), "file")


def _item(
    placed: engine.Citation, found: ReceiptBlock, words: Sequence[str], score: float
) -> ContextItem:
    text, type_ = placed.excerpt.lower(), type_of(found.sources)
    ranks = [score for name, score in found.parts.items() if name in found.sources]
    return ContextItem(
        id=placed.evidence,
        type=type_,
        content=placed.excerpt,
        source=(placed.origin and placed.origin.session) or placed.source or placed.evidence,
        relevance=score,
        tokens=placed.tokens,
        excerpt=placed.excerpt if type_ == "file" else None,
        metadata=ItemMetadata(
            path=placed.path,
            created_at=placed.created,
            search_rank=max(ranks, default=None),
            matched_keywords=tuple(each for each in words if each in text),
        ),
    )
