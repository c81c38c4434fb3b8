"""Citations: the blocks of evidence in a result, and where each comes from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from biblicus_context.assembly.draft import Draft
from biblicus_context.assembly.packs.piece import PackPiece
from biblicus_context.assembly.packs.row import FittedPack
from biblicus_context.assembly.result.spans import PartSpan
from biblicus_context.retrieval.origin import NOWHERE, Origin
from biblicus_context.retrieval.packs.block_format import citation_id
from biblicus_context.retrieval.packs.evidence import score_of, source_of
from biblicus_context.retrieval.packs.facts import facts_of
from biblicus_context.retrieval.packs.pack import ContextPackBlock
from biblicus_context.text.valid_unicode import Text


class Citation(BaseModel):
    """One block as it is placed."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    id: str = Field(description="What an answer names it by; the same in every result.")
    evidence: Text = Field(description="The block's own id.")
    pack: Text = Field(description="The pack it is in.")
    document: Text | None = Field(default=None, description="The id of its document.")
    kind: Text | None = Field(default=None, description="What the document is, such as note.")
    source: Text | None = Field(default=None, description="Where it comes from.")
    path: Text | None = Field(default=None, description="The file it comes from.")
    lines: tuple[int, int] | None = Field(default=None, description="First and last line there.")
    title: Text | None = Field(default=None, description="What the document is called.")
    origin: Origin | None = Field(
        default=None,
        description="Its session and messages, its file, or its commit, if that says more than the path.",
    )
    replaces: tuple[Text, ...] = Field(
        default=(), description="The documents that its document superseded, by id."
    )
    contains: tuple[Text, ...] = Field(
        default=(), description="Other documents that its text has lines of, by id."
    )
    created: datetime | None = Field(default=None, description="When its document was made.")
    score: float | None = Field(default=None, description="As the retriever gave it.")
    tokens: int = Field(description="As placed.")
    excerpt: Text = Field(description="Its text as it is placed.")

    @property
    def place(self) -> str:
        """The path with its lines, else the source, else the block's own id."""
        if self.path is None:
            return self.source or self.evidence
        return self.path if self.lines is None else f"{self.path}:{self.lines[0]}-{self.lines[1]}"


def citations_of(draft: Draft, spans: Iterable[PartSpan]) -> Iterator[Citation]:
    """Every block that a finished draft places, nested packs included, in the order of the text."""
    assert draft.placement is not None
    for span in spans:
        if span.pieces:
            fitted = draft.placement.packs[span.part]
            for number, piece in fitted.placed():
                if number is not None and piece.block is not None:
                    yield _citation(fitted, number, piece, piece.block, span.name)


def _citation(
    fitted: FittedPack, number: int, piece: PackPiece, block: ContextPackBlock, pack: str
) -> Citation:
    change = fitted.changes.get(number)
    known: Mapping[str, Any] = block.metadata or {}
    facts = facts_of(block)
    return Citation(
        id=citation_id(block.evidence_item_id),
        evidence=block.evidence_item_id,
        pack=pack,
        document=facts.document,
        kind=facts.kind or None,
        source=source_of(block),
        path=_text(known.get("path")),
        lines=_lines(known.get("lines")),
        title=_text(known.get("title")),
        origin=None if facts.origin in {NOWHERE, Origin(file=facts.path)} else facts.origin,
        replaces=facts.replaces,
        contains=facts.contains,
        created=facts.created,
        score=score_of(block),
        tokens=fitted.row.tokens[number] if change is None else change.tokens,
        excerpt=piece.body,
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _lines(value: object) -> tuple[int, int] | None:
    """A retriever may put anything under `lines`; only a first and a last line count."""
    match value:
        case [int(first), int(last)]:
            return first, last
        case _:
            return None
