"""The selections by name."""

from __future__ import annotations

from typing import Final

from biblicus_context.base.registry import Registry
from biblicus_context.retrieval.select.diverse_kinds import DiverseKinds
from biblicus_context.retrieval.select.greedy import RankOrder, ValuePerToken
from biblicus_context.retrieval.select.knapsack import Knapsack
from biblicus_context.retrieval.select.marginal_relevance import MarginalRelevance
from biblicus_context.retrieval.select.selection import Select

SELECTIONS: Final = Registry[Select](
    noun="selection",
    group="biblicus_context.select",
    default="rank_order",
    entries={
        "rank_order": RankOrder,
        "value_per_token": ValuePerToken,
        "knapsack": Knapsack,
        "diverse_kinds": DiverseKinds,
        "marginal_relevance": MarginalRelevance,
    },
)
