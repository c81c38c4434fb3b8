"""A block that was found, with its document, as it goes into a pack."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from biblicus_context.retrieval.packs.pack import ContextPackBlock
from biblicus_context.spec.retriever_settings import EvidenceFormatSpec, SearchSpec
from biblicus_context.stores import Block, Document


class RankedBlock(NamedTuple):
    """A block's place in a ranking."""

    block_id: str
    document_id: str
    score: float
    parts_of: Callable[[str], Mapping[str, float]]
    """What the score of a block is the sum of; asked of the few that are shown."""

    @property
    def parts(self) -> Mapping[str, float]:
        """What the score is the sum of."""
        return self.parts_of(self.block_id)


@dataclass(frozen=True, slots=True)
class Evidence:
    """A block that was found, and what its score is made of."""

    block: Block
    document: Document
    score: float
    parts: Mapping[str, float]
    passage: tuple[str, ...] = ()
    """The blocks that its text is made of, where several are read as one."""

    @property
    def block_ids(self) -> tuple[str, ...]:
        """Every block that stands in its text."""
        return self.passage or (self.block.id,)

    @property
    def source(self) -> str:
        """Where a reader finds the document."""
        return self.document.path or self.document.uri or self.document.id

    @property
    def where(self) -> str:
        """Where a reader finds the block."""
        lines = self.block.lines
        return f"{self.source}:{lines[0]}-{lines[1]}" if lines else self.source

    @property
    def is_turn(self) -> bool:
        """Whether it is one turn of a conversation."""
        return self.block.session is not None or self.document.kind == "conversation"

    @property
    def sequence(self) -> str:
        """What its neighbours share with it: a document, or a session in one."""
        session = self.block.session
        return self.document.id if session is None else f"{self.document.id}\n{session}"


def with_speaker(evidence: Evidence, form: EvidenceFormatSpec) -> Evidence:
    """The evidence with its speaker in front, if the plan wants that and it is a turn with a speaker."""
    speaker = evidence.block.metadata.get("speaker")
    if not (form.speakers and evidence.is_turn and isinstance(speaker, str) and speaker):
        return evidence
    text = f"{speaker}: {evidence.block.text}"
    return replace(evidence, block=replace(evidence.block, text=text))


def pack_block(evidence: Evidence, spec: SearchSpec) -> ContextPackBlock:
    """The evidence as a retriever hands it on; a citation is made of its metadata."""
    return ContextPackBlock(
        evidence_item_id=evidence.block.id,
        text=evidence.block.text,
        source=evidence.source,
        score=evidence.score,
        metadata={
            **_own_words(evidence, spec),
            **_whereabouts(evidence),
            **(_session(evidence) if spec.format.sessions and evidence.is_turn else {}),
        },
    )


def _whereabouts(evidence: Evidence) -> dict[str, object]:
    block, document = evidence.block, evidence.document
    said = {
        "path": document.path,
        "lines": list(block.lines) if block.lines else None,
        "title": document.title or None,
        "heading": list(block.heading) or None,
    }
    parts = {name: round(part, 4) for name, part in evidence.parts.items()}
    return {**{key: value for key, value in said.items() if value is not None}, "parts": parts}


def _own_words(evidence: Evidence, spec: SearchSpec) -> dict[str, object]:
    """What document and block say of themselves, as far as the author wants it handed on."""
    said: dict[str, object] = {**evidence.document.metadata, **evidence.block.metadata}
    if spec.metadata_fields is not None:
        return {name: said[name] for name in spec.metadata_fields if name in said}
    return said if spec.include_metadata else {}


def _session(evidence: Evidence) -> dict[str, object]:
    """What stands above the turns of a session, and where in it this turn stands."""
    block, document = evidence.block, evidence.document
    name = block.session or document.title or document.id
    day = str(block.metadata.get("date", "")).partition("T")[0]
    header = f"{name}, {day}" if day and day not in name else name
    return {"session": header, "position": block.position}
