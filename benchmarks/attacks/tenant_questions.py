"""All that tenants ask of one store: settings of each retriever, and plans with combined retrievers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from benchmarks.attacks.worlds.twins import plain
from biblicus_context import ContextAssembler, Corpus

QUERIES: Final = ("cat dog", "retrieval of x-ray", "Zürich")
SETTINGS: Final[tuple[Mapping[str, Any], ...]] = (
    *({"retriever_id": "tree", "from": name} for name in "abcd"),
    {"retriever_id": "tree", "from": ["c", "a"], "depth": 3, "children": 2, "include_start": False},
    *({"retriever_id": "outline", "documents": name} for name in "cd"),
    {"retriever_id": "outline", "documents": ["a", "b"], "children": 3, "tokens": 20},
    *(
        {
            "retriever_id": "related",
            "from": ["a", "c"],
            "direction": direction,
            "relation": relation,
        }
        for direction in ("in", "both")
        for relation in ("cites", "row_of")
    ),
    {"retriever_id": "related", "starts": 2, "depth": 3},
    {"retriever_id": "activity"},
    {"retriever_id": "activity", "edits": 0, "within": "30m"},
    *({"retriever_id": "explicit", "documents": ["a", name]} for name in "cd"),
    {"retriever_id": "explicit", "blocks": ["c#0"]},
    {"retriever_id": "trigram", "similarity": 0.1},
    {"retriever_id": "fuzzy"},
    {"retriever_id": "recent"},
    {"retriever_id": "keyword", "filters": {"superseded": True}},
    {"retriever_id": "keyword", "filters": {"parent": ["a", "c"]}},
    {"retriever_id": "keyword", "filters": {"exclude_documents": ["a"], "kind": "page"}},
    {
        "retriever_id": "keyword",
        "filters": {"metadata": {"owner": {"in": ["b"]}}},
        "min_score": 0.4,
    },
    {"retriever_id": "keyword", "excerpt": {"tokens": 16}, "phrases": True},
    {"retriever_id": "vector", "min_score": {"each": 0.2, "best": 0.5}},
    {"min_score": 0.5, "filters": {"metadata": {"size": {"from": 2, "to": 4}}}},
    {"rank": {"structure": {"weight": 1, "near": ["c"]}, "affinity": 1}},
    {"rank": {"tfidf": 1, "usage": 1, "kinds": {"weight": 1, "priorities": {"row": 1}}}},
    {"dedupe": {"near": 0.5}, "neighbours": 2, "maximum_items_per_source": 1},
)
_PLAN: Final[Mapping[str, Any]] = {
    "main": {
        "policy": {"input_budget": {"max_tokens": 60}, "pack_budget": {"default_ratio": 1}},
        "messages": [
            {
                "type": "context",
                "name": "pool",
                "title": "Found",
                "format": {"footer": "{count} of {total}"},
            },
            {"type": "context", "name": "words"},
        ],
    }
}
_RETRIEVERS: Final[Mapping[str, Any]] = {
    "words": {"corpus": "c", "config": {"retriever_id": "keyword", "query": "cat", "cache": {}}},
    "inner": {
        "config": {
            "retriever_id": "combined",
            "of": [
                "words",
                {
                    "name": "around",
                    "corpus": "c",
                    "retriever_id": "tree",
                    "from": "c",
                    "on_error": "skip",
                },
            ],
            "query": "cat",
        }
    },
    "pool": {
        "config": {
            "retriever_id": "combined",
            "query": "cat retrieval",
            "of": [
                "inner",
                {
                    "name": "named",
                    "corpus": "c",
                    "retriever_id": "outline",
                    "documents": "a",
                    "guarantee": 1,
                    "on_error": "skip",
                },
                {"name": "done", "corpus": "c", "retriever_id": "activity", "weight": 0.5},
                {
                    "name": "led",
                    "corpus": "c",
                    "retriever_id": "related",
                    "from": ["a", "d"],
                    "direction": "both",
                    "on_error": "skip",
                },
            ],
            "rank": {
                "words": {"type": "tfidf", "weight": 1, "corpus": "c"},
                "structure": {"weight": 1, "near": ["a", "c"]},
                "affinity": {"weight": 1},
                "usage": {"weight": 1},
            },
            "select": "knapsack",
        }
    },
}


def assembled(corpus: Corpus) -> object:
    """What a plan with nested combined retrievers places, with the account of it."""
    assembler = ContextAssembler(_PLAN, _RETRIEVERS, corpora={"c": corpus})
    result = assembler.for_principal(corpus.principal).assemble("main")
    return plain([result.system_prompt, result.citations, result.receipt])
