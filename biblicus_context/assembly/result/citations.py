"""Citations: the blocks of evidence that a result places, and where each comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from biblicus_context.assembly.draft import Draft
from biblicus_context.assembly.packs.row import Fitted, Piece
from biblicus_context.assembly.steps.parts import PackPart
from biblicus_context.retrieval.packs.block_format import citation_id
from biblicus_context.retrieval.packs.pack import ContextPackBlock
from biblicus_context.text.sound import Text


class Citation(BaseModel):
    """One block as it stands in the context."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(description="What an answer names it by; the same in every result.")
    evidence: Text = Field(description="The block's own id.")
    pack: Text = Field(description="The pack it stands in.")
    source: Text | None = Field(default=None, description="Where it comes from.")
    path: Text | None = Field(default=None, description="The file it comes from.")
    lines: tuple[int, int] | None = Field(default=None, description="First and last line there.")
    title: Text | None = Field(default=None, description="What the document is called.")
    score: float | None = Field(default=None, description="As the retriever gave it.")
    tokens: int = Field(description="As placed.")
    excerpt: Text = Field(description="What stands in the context of it.")

    @property
    def place(self) -> str:
        """The path with its lines, else the source, else the block's own id."""
        if self.path is None:
            return self.source or self.evidence
        return self.path if self.lines is None else f"{self.path}:{self.lines[0]}-{self.lines[1]}"


def citations_of(draft: Draft) -> Iterator[Citation]:
    """Every block that a finished draft places, nested packs included, in the order of the text."""
    assert draft.standing is not None
    for index, part in enumerate(draft.parts):
        if isinstance(part, PackPart):
            fitted = draft.standing.packs[index]
            for at in _in_order(fitted):
                piece = fitted.kept[at]
                if piece.block is not None:
                    yield _citation(piece, piece.block, part.name, _tokens(fitted, at))


def _in_order(fitted: Fitted) -> Sequence[int]:
    """Indexes of the kept pieces as they stand in the text."""
    indexes = sorted(fitted.kept)
    if fitted.row.arrange is None:
        return indexes
    index_of = {fitted.kept[index].key: index for index in indexes}
    return [
        index_of[piece.key] for piece in fitted.row.arrange([fitted.kept[at] for at in indexes])
    ]


def _tokens(fitted: Fitted, at: int) -> int:
    change = fitted.changes.get(at)
    return fitted.row.tokens[at] if change is None else change.tokens


def _citation(piece: Piece, block: ContextPackBlock, pack: str, tokens: int) -> Citation:
    known: Mapping[str, Any] = block.metadata or {}
    source = block.source or known.get("source_uri")
    return Citation(
        id=citation_id(block.evidence_item_id),
        evidence=block.evidence_item_id,
        pack=pack,
        source=None if source is None else str(source),
        path=_text(known.get("path")),
        lines=_lines(known.get("lines")),
        title=_text(known.get("title")),
        score=block.score,
        tokens=tokens,
        excerpt=piece.body,
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _lines(value: object) -> tuple[int, int] | None:
    """A retriever may say anything under `lines`; only a first and a last line are meant."""
    match value:
        case [int(first), int(last)]:
            return first, last
        case _:
            return None
