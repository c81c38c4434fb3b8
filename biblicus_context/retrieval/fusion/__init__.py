"""Several searches of one query, made one ranking."""

from biblicus_context.retrieval.fusion.given_scores import GivenScores
from biblicus_context.retrieval.fusion.reciprocal_rank import ReciprocalRank
from biblicus_context.retrieval.fusion.registry import FUSIONS
from biblicus_context.retrieval.fusion.scores import Scores
from biblicus_context.retrieval.fusion.search import Fusion, Search
from biblicus_context.retrieval.fusion.standard_scores import StandardScores
from biblicus_context.retrieval.fusion.weighted_scores import WeightedScores

__all__ = [
    "FUSIONS",
    "Fusion",
    "GivenScores",
    "ReciprocalRank",
    "Scores",
    "Search",
    "StandardScores",
    "WeightedScores",
]
