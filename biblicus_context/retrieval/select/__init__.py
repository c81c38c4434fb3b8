"""Selection: which ranked candidates are worth a budget of tokens."""

from typing import Final

from biblicus_context.base.registry import Registry
from biblicus_context.retrieval.select.cap import capped
from biblicus_context.retrieval.select.diverse_kinds import DiverseKinds
from biblicus_context.retrieval.select.knapsack import Knapsack
from biblicus_context.retrieval.select.marginal_relevance import MarginalRelevance
from biblicus_context.retrieval.select.rank_order import RankOrder
from biblicus_context.retrieval.select.selection import Select
from biblicus_context.retrieval.select.value_per_token import ValuePerToken

__all__ = [
    "SELECTIONS",
    "DiverseKinds",
    "Knapsack",
    "MarginalRelevance",
    "RankOrder",
    "Select",
    "ValuePerToken",
    "capped",
]

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
