"""How retrievers rank. The hybrid is loaded when it first ranks: reading plans should not load numpy."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

from biblicus_context.corpora.evidence import RankedBlock
from biblicus_context.corpora.search.query import SearchQuery
from biblicus_context.errors import MissingExtraError
from biblicus_context.spec.retriever_settings import HybridSpec


def hybrid(query: SearchQuery, spec: HybridSpec, most: int) -> Sequence[RankedBlock]:
    """Words and meaning together."""
    if find_spec("numpy") is None:
        raise MissingExtraError("numpy", "corpus")
    from biblicus_context.corpora.search.rankers.hybrid_ranking import (  # loads numpy
        hybrid_ranking,
    )

    return hybrid_ranking(query, spec, most)
