"""Blocks that a search ranked, and how they are written into a pack."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from biblicus_context.ingest.records.record import Record, facts, without_origin
from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.origin import ORIGIN, Origin
from biblicus_context.retrieval.packs.block_format import one_line
from biblicus_context.retrieval.packs.pack import ContextPackBlock
from biblicus_context.spec.retriever_settings import EvidenceFormatSpec, SearchSpec
from biblicus_context.stores import Block, Document, Usage, View
from biblicus_context.text.headings import escaped_headings

_NEVER: Final = Usage()


class RankedBlock(NamedTuple):
    """One block of a ranking."""

    block_id: str
    document_id: str
    score: float
    parts_of: Callable[[str], Mapping[str, float]]
    """The parts of the score by block id: a function, as only a few blocks of a ranking are shown."""

    @property
    def parts(self) -> Mapping[str, float]:
        """The named parts of the score."""
        return self.parts_of(self.block_id)


@dataclass(frozen=True, slots=True)
class Evidence:
    """A hit: a ranked block with its document."""

    block: Block
    document: Document
    score: float
    parts: Mapping[str, float]
    passage: tuple[str, ...] = ()
    """The ids of the blocks that are merged into its text, if there are several."""
    replaces: tuple[str, ...] = ()
    """The documents that its document superseded, by id."""
    left_out: int = 0
    """Tokens that its text had more before it was shortened."""
    usage: Usage = _NEVER
    """How often it was placed, and the feedback on it."""
    contains: tuple[str, ...] = ()
    """Other documents that its text has lines of, by id, as the outline of a page has."""

    @property
    def block_ids(self) -> tuple[str, ...]:
        """Every block in its text."""
        return self.passage or (self.block.id,)

    @property
    def source(self) -> str:
        """The path or URI of the document, else its id."""
        return self.document.path or self.document.uri or self.document.id

    @property
    def where(self) -> str:
        """The source, with lines if they are known."""
        lines = self.block.lines
        return f"{self.source}:{lines[0]}-{lines[1]}" if lines else self.source

    @property
    def record(self) -> Record:
        """Its document as a record, with the text that was found."""
        known = facts(self.document)
        known["metadata"] = without_origin(self.document.metadata)
        return Record(id=self.document.id, text=self.block.text, origin=self.origin, **known)

    @property
    def origin(self) -> Origin:
        """Where it comes from: what the block says, then its document, then what it is."""
        block, document = self.block, self.document
        if document.kind == "commit":
            usual = Origin(commit=document.id)
        else:
            usual = Origin(session=block.session or document.conversation, file=document.path)
        if ORIGIN not in block.metadata and ORIGIN not in document.metadata:  # most name none
            return usual
        own = Origin.of(block.metadata.get(ORIGIN))
        return own.otherwise(Origin.of(document.metadata.get(ORIGIN))).otherwise(usual)

    @property
    def is_turn(self) -> bool:
        """Whether it is one turn of a conversation."""
        return self.block.session is not None or self.document.kind == "conversation"

    @property
    def sequence(self) -> str:
        """The document, or the session in it, in which positions count."""
        session = self.block.session
        return self.document.id if session is None else f"{self.document.id}\n{session}"

    def candidate(self, tokens: int | None = None, usage: Usage = _NEVER) -> Candidate:
        """Everything that ranking, selection and formats use; `tokens` are those of the block by default."""
        block, document = self.block, self.document
        return Candidate(
            id=block.id,
            text=block.text,
            tokens=block.tokens if tokens is None else tokens,
            score=self.score,
            parts=self.parts,
            document=document.id,
            source=self.source,
            where=self.where,
            sequence=self.sequence,
            position=block.position,
            is_turn=self.is_turn,
            kind=document.kind,
            title=document.title,
            heading=block.heading,
            path=document.path,
            lines=block.lines,
            session=block.session,
            origin=self.origin,
            replaces=self.replaces,
            contains=self.contains,
            conversation=document.conversation,
            parent=document.parent,
            among_siblings=document.position,
            created=document.created,
            updated=document.updated,
            accessed=document.accessed,
            tags=document.tags,
            metadata={**document.metadata, **block.metadata},
            confidence=document.confidence,
            importance=document.importance,
            left_out=self.left_out,
            used=usage.used,
            helpful=usage.helpful,
            unhelpful=usage.unhelpful,
        )


def evidence_of(view: View, ranked: Sequence[RankedBlock]) -> list[Evidence]:
    """Ranked blocks with all that is shown of them; those that are not in this version are missing."""
    if not ranked:
        return []
    by_id = {each.block_id: each for each in ranked}
    return [
        Evidence(
            row.block,
            row.document,
            by_id[row.block.id].score,
            by_id[row.block.id].parts,
            replaces=row.replaces,
            usage=row.usage,
        )
        for row in view.evidence([*by_id])
    ]


def as_written(evidence: Evidence, form: EvidenceFormatSpec) -> Evidence:
    """The evidence with its text as the plan writes it: with its speaker, without headings."""
    if "speaker" in evidence.block.metadata:
        evidence = _with_speaker(evidence, form)
    if form.escape_headings:
        evidence = with_text(evidence, escaped_headings(evidence.block.text))
    return evidence


def with_text(evidence: Evidence, text: str) -> Evidence:
    """The evidence with another text."""
    return replace(evidence, block=replace(evidence.block, text=text))


def _with_speaker(evidence: Evidence, form: EvidenceFormatSpec) -> Evidence:
    """The evidence with its speaker in front, if the plan wants that and it is a turn with a speaker."""
    speaker = evidence.block.metadata.get("speaker")
    if not (form.speakers and evidence.is_turn and isinstance(speaker, str) and speaker):
        return evidence
    return with_text(evidence, f"{one_line(speaker)}: {evidence.block.text}")


def as_chosen(evidence: Evidence, chosen: Candidate) -> Evidence:
    """The evidence with the text that a page has room for."""
    if chosen.text == evidence.block.text:
        return evidence
    block = replace(evidence.block, text=chosen.text, tokens=chosen.tokens)
    return replace(evidence, block=block, left_out=chosen.left_out)


def pack_block(evidence: Evidence, chosen: Candidate, spec: SearchSpec) -> ContextPackBlock:
    """The evidence that was chosen as a block of a pack; citations are made from its metadata."""
    return ContextPackBlock.with_facts(
        chosen._replace(tokens=evidence.block.tokens),
        evidence_item_id=evidence.block.id,
        text=evidence.block.text,
        source=evidence.source,
        score=evidence.score,
        metadata={
            **_own_metadata(evidence, spec),
            **_location(evidence),
            **(_session(evidence) if spec.format.sessions and evidence.is_turn else {}),
        },
    )


def _location(evidence: Evidence) -> dict[str, object]:
    block, document = evidence.block, evidence.document
    known = {
        "path": document.path,
        "lines": list(block.lines) if block.lines else None,
        "title": document.title or None,
        "heading": list(block.heading) or None,
    }
    parts = {name: round(part, 4) for name, part in evidence.parts.items()}
    return {**{key: value for key, value in known.items() if value is not None}, "parts": parts}


def _own_metadata(evidence: Evidence, spec: SearchSpec) -> dict[str, object]:
    """The metadata of document and block, as far as the plan includes it."""
    metadata: dict[str, object] = {**evidence.document.metadata, **evidence.block.metadata}
    if spec.metadata_fields is not None:
        return {name: metadata[name] for name in spec.metadata_fields if name in metadata}
    return metadata if spec.include_metadata else {}


def _session(evidence: Evidence) -> dict[str, object]:
    """The header of the session of a turn, and the position of the turn in it."""
    block, document = evidence.block, evidence.document
    name = block.session or document.title or document.id
    day = str(block.metadata.get("date", "")).partition("T")[0]
    header = f"{name}, {day}" if day and day not in name else name
    return {"session": header, "position": block.position}
