"""The hybrid, loaded when it is first asked: it needs numpy, which what only reads plans does not."""

from __future__ import annotations

from collections.abc import Sequence

from biblicus_context.corpora.search.evidence import Found
from biblicus_context.corpora.search.query import Question
from biblicus_context.spec.retriever_settings import HybridSpec


def hybrid(question: Question, spec: HybridSpec, most: int) -> Sequence[Found]:
    """Every candidate, best first."""
    from biblicus_context.corpora.search.rankers import hybrid as loaded  # noqa: PLC0415

    return loaded.hybrid(question, spec, most)
