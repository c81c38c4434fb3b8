"""The text of a block as an author wants it written."""

from __future__ import annotations

from dataclasses import replace

from biblicus_context.corpora.search.evidence import Evidence
from biblicus_context.spec.retriever_settings import EvidenceFormatSpec


def written(evidence: Evidence, form: EvidenceFormatSpec) -> Evidence:
    """The evidence with its speaker in front, where it is a turn that has one."""
    speaker = evidence.block.metadata.get("speaker")
    if not (form.speakers and evidence.is_turn and isinstance(speaker, str) and speaker):
        return evidence
    text = f"{speaker}: {evidence.block.text}"
    return replace(evidence, block=replace(evidence.block, text=text))
