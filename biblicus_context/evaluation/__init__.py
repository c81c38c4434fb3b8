"""Measures how much of the gold evidence a retriever gets into a context."""

from biblicus_context.evaluation.collection import (
    Collection,
    CollectionRecord,
    Query,
    load_collection,
)
from biblicus_context.evaluation.measures import BUDGETS, Figures
from biblicus_context.evaluation.questions import Question, load_questions
from biblicus_context.evaluation.run import evaluate, evaluate_corpus, evaluate_pool

__all__ = [
    "BUDGETS",
    "Collection",
    "CollectionRecord",
    "Figures",
    "Query",
    "Question",
    "evaluate",
    "evaluate_corpus",
    "evaluate_pool",
    "load_collection",
    "load_questions",
]
