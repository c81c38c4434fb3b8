"""Selection: which ranked candidates are worth a budget of tokens."""

from biblicus_context.retrieval.select.cap import CutNote, ItemCap, ShortenedBlock
from biblicus_context.retrieval.select.diverse_kinds import DiverseKinds
from biblicus_context.retrieval.select.greedy import RankOrder, ValuePerToken
from biblicus_context.retrieval.select.knapsack import Knapsack
from biblicus_context.retrieval.select.marginal_relevance import MarginalRelevance
from biblicus_context.retrieval.select.registry import SELECTIONS
from biblicus_context.retrieval.select.selection import Select

__all__ = [
    "SELECTIONS",
    "CutNote",
    "DiverseKinds",
    "ItemCap",
    "Knapsack",
    "MarginalRelevance",
    "RankOrder",
    "Select",
    "ShortenedBlock",
    "ValuePerToken",
]
