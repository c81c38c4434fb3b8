"""Several searches of one query, made one ranking."""

from typing import Final

from biblicus_context.base.registry import Registry
from biblicus_context.retrieval.fusion.reciprocal_rank import ReciprocalRank
from biblicus_context.retrieval.fusion.scores import Scores
from biblicus_context.retrieval.fusion.search import Fusion, Search
from biblicus_context.retrieval.fusion.standard_scores import StandardScores
from biblicus_context.retrieval.fusion.weighted_scores import WeightedScores

__all__ = [
    "FUSIONS",
    "Fusion",
    "ReciprocalRank",
    "Scores",
    "Search",
    "StandardScores",
    "WeightedScores",
]

FUSIONS: Final = Registry[Fusion](
    noun="fusion",
    group="biblicus_context.fusion",
    default="standard_scores",
    entries={
        "standard_scores": StandardScores,
        "reciprocal_rank": ReciprocalRank,
        "weighted_scores": WeightedScores,
    },
)
