"""The fusions by name."""

from __future__ import annotations

from typing import Final

from biblicus_context.base.registry import Registry
from biblicus_context.retrieval.fusion.given_scores import GivenScores
from biblicus_context.retrieval.fusion.reciprocal_rank import ReciprocalRank
from biblicus_context.retrieval.fusion.search import Fusion
from biblicus_context.retrieval.fusion.standard_scores import StandardScores
from biblicus_context.retrieval.fusion.weighted_scores import WeightedScores

FUSIONS: Final = Registry[Fusion](
    noun="fusion",
    group="biblicus_context.fusion",
    default="standard_scores",
    entries={
        "standard_scores": StandardScores,
        "reciprocal_rank": ReciprocalRank,
        "weighted_scores": WeightedScores,
        "given_scores": GivenScores,
    },
)
