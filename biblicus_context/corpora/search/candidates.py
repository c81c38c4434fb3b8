"""Evidence as candidates, for ranking and selection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from biblicus_context.corpora.evidence import Evidence
from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.stores import Usage

_NEVER: Final = Usage()


def candidates(
    evidence: Sequence[Evidence],
    *,
    tokens: Sequence[int] | None = None,
    usage: Mapping[str, Usage] | None = None,
) -> list[Candidate]:
    """One candidate for each; pass `tokens` to count what follows each block as well."""
    counts = tokens or [each.block.tokens for each in evidence]
    return [
        _candidate(each, count, (usage or {}).get(each.block.id, _NEVER))
        for each, count in zip(evidence, counts, strict=True)
    ]


def _candidate(evidence: Evidence, tokens: int, usage: Usage) -> Candidate:
    block, document = evidence.block, evidence.document
    return Candidate(
        id=block.id,
        text=block.text,
        tokens=tokens,
        score=evidence.score,
        parts=evidence.parts,
        document=document.id,
        source=evidence.source,
        where=evidence.where,
        sequence=evidence.sequence,
        position=block.position,
        is_turn=evidence.is_turn,
        kind=document.kind,
        path=document.path,
        changed=document.updated or document.created,
        accessed=document.accessed,
        tags=document.tags,
        metadata={**document.metadata, **block.metadata},
        confidence=document.confidence,
        importance=document.importance,
        used=usage.used,
        helpful=usage.helpful,
        unhelpful=usage.unhelpful,
    )
