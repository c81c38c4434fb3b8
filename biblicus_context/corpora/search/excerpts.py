"""Hits with the part of their text around the words of the query."""

from __future__ import annotations

from dataclasses import replace

from biblicus_context.corpora.evidence import Evidence
from biblicus_context.retrieval.analysis import query_terms
from biblicus_context.retrieval.excerpt import excerpt
from biblicus_context.spec.retriever_settings import ExcerptSpec
from biblicus_context.text.counters import default_counter


def excerpted(evidence: Evidence, *, spec: ExcerptSpec | None, query: str) -> Evidence:
    """The evidence with an excerpt as its text, if the plan asks for one."""
    if spec is None:
        return evidence
    counter = default_counter()
    marks = spec.marks or ("", "")
    text = excerpt(evidence.block.text, query_terms(query), spec.tokens, counter, marks)
    return replace(evidence, block=replace(evidence.block, text=text, tokens=counter.count(text)))
