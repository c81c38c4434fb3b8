"""How much the vectors of a query's candidates count, against the words."""

from __future__ import annotations

from typing import Final

from biblicus_context.corpora.search.foreign_query import foreign_language
from biblicus_context.corpora.search.query import SearchQuery
from biblicus_context.spec.retriever_settings import HybridSpec
from biblicus_context.stores import Found

_UNKNOWN_LANGUAGE: Final = 0.25
"""The part of its weight that a vector keeps in a language that its model was not trained on: words that
are the same in a query and a text are sure."""
_MOST_FOR_TURNS: Final = 1.0
"""A turn is short: its words say more about it than its vector does, whatever the model."""


def vector_weight(query: SearchQuery, spec: HybridSpec, found: Found) -> float:
    """The weight in the plan, else the one of the embedder, and less of it for turns.

    It is a part of that for a query in a language that the embedder does not know.

    Among prose and turns it is in between, by their shares: one weight for all candidates keeps
    their scores comparable.
    """
    assert query.embedder is not None
    own, written = query.embedder.vector_weight, spec.vector_weights
    if foreign_language(query.text, query.embedder) is not None:
        own *= _UNKNOWN_LANGUAGE
    blocks = own if written.blocks is None else written.blocks
    turns = min(own, _MOST_FOR_TURNS) if written.turns is None else written.turns
    if blocks == turns:
        return blocks
    share = float(found.turns.mean()) if len(found) else 0.0
    return share * turns + (1 - share) * blocks
