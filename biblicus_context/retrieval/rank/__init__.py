"""Ranking: a weighted mean of named scores, each 0..1 and kept for the receipt."""

from biblicus_context.retrieval.rank.registry import COMPONENTS, Ranks
from biblicus_context.retrieval.rank.weighted_sum import (
    Component,
    RankingQuery,
    WeightedComponent,
    WeightedSum,
)

__all__ = [
    "COMPONENTS",
    "Component",
    "RankingQuery",
    "Ranks",
    "WeightedComponent",
    "WeightedSum",
]
