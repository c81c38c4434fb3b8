"""A block that goes for its duplicate in another pack is back where that one has no place in the end."""

from __future__ import annotations

from typing import Any

from biblicus_context import ContextAssembler, ContextAssemblyResult
from tests.assembly.fakes import Shelf, part_named, words


def noted(name: str, count: int, note: str = "n") -> dict[str, Any]:
    return {"evidence_item_id": name, "text": words(count, name), "metadata": {"note": note}}


def assembled(budget: int, more: Any = (), size: int = 35, **policy: Any) -> ContextAssemblyResult:
    """`long` is served first; a block of `short` has the same note."""
    plan = {
        "messages": [
            {"type": "context", "name": "long", "priority": 1, "weight": 99},
            {"type": "context", "name": "short"},
            {"type": "user", "content": words(10, "why")},
        ],
        "policy": {
            "counter": "whitespace",
            "input_budget": {"max_tokens": budget},
            "pack_budget": {"default_ratio": 1},
            "dedupe": {"fields": ["note"]},
            "compactor": {"type": "drop_blocks"},
            **policy,
        },
    }
    shelves = {
        "long": Shelf([noted("big", size)]),
        "short": Shelf([noted("small", 6), *more]),
    }
    return ContextAssembler({"main": plan}, shelves).assemble("main")


def test_the_text_is_not_nowhere_while_it_would_fit():
    result = assembled(budget=40)
    assert words(6, "small") in result.system_prompt
    (block,) = part_named(result, "short").blocks
    assert (block.action, block.cause, block.given) == ("kept", None, 6)
    (big,) = part_named(result, "long").blocks
    assert (big.action, big.cause, big.figure) == ("dropped", "input_budget", 40)


def test_a_duplicate_that_is_placed_keeps_the_other_one_out():
    result = assembled(budget=100)
    (block,) = part_named(result, "short").blocks
    assert (block.action, block.cause) == ("dropped", "duplicate")
    assert "small" not in result.system_prompt


def test_where_neither_fits_both_name_the_limit():
    result = assembled(budget=12, size=8)
    for name, cause, figure in (("long", "input_budget", 12), ("short", "share", 1)):
        (block,) = part_named(result, name).blocks
        assert (block.action, block.cause, block.figure) == ("dropped", cause, figure)


def test_blocks_that_are_back_are_in_the_order_of_their_ranks():
    others = [noted("other", 5, "m"), noted("third", 4, "o")]
    result = assembled(budget=40, more=others)
    ids = [block.id for block in part_named(result, "short").blocks if block.given]
    assert ids == ["small", "other", "third"]
    assert result.system_prompt.index("small") < result.system_prompt.index("other")
    assert result.token_count == 10 + 6 + 5 + 4


def test_a_combined_retriever_chooses_again_what_fits_besides_a_duplicate():
    """The place of a duplicate is free for a block that its share had left out."""
    plan = {
        "messages": [
            {"type": "context", "name": "notes", "priority": 1},
            {"type": "context", "name": "all", "budget": {"max_tokens": 12}},
        ],
        "policy": {"counter": "whitespace", "input_budget": {"max_tokens": 200}},
    }
    mail = Shelf([noted("same", 10), noted("next", 9)])
    retrievers = {
        "notes": Shelf([noted("same", 10)]),
        "mail": mail,
        "all": {"config": {"retriever_id": "combined", "of": ["mail"]}},
    }
    result = ContextAssembler({"main": plan}, retrievers).assemble("main")
    assert words(9, "next") in result.system_prompt
    causes = {block.id: block.cause for block in part_named(result, "all").blocks}
    assert causes == {"same": "duplicate", "next": None}
    assert len(mail.requests) == 1
