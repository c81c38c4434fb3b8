"""A block that goes for its duplicate in another pack is back where that one has no place in the end."""

from __future__ import annotations

from typing import Any

import pytest

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


@pytest.mark.parametrize("levels", [1, 2, 3])
def test_it_is_back_in_every_nesting(levels: int):
    """The innermost context has a budget of its own, in which the better duplicate has no place."""
    innermost = {
        "messages": [
            {"type": "context", "name": "long", "priority": 1},
            {"type": "context", "name": "short"},
        ],
        "policy": {
            "input_budget": {"max_tokens": 30},
            "dedupe": {"fields": ["note"]},
            "compactor": {"type": "drop_blocks"},
        },
    }
    contexts: dict[str, Any] = {"level 0": innermost}
    for level in range(1, levels):
        inner = {"type": "context", "name": f"level {level - 1}"}
        contexts[f"level {level}"] = {"messages": [inner]}
    contexts["main"] = {
        "messages": [{"type": "context", "name": f"level {levels - 1}"}],
        "policy": {"counter": "whitespace", "input_budget": {"max_tokens": 200}},
    }
    shelves = {"long": Shelf([noted("big", 60)]), "short": Shelf([noted("small", 6)])}
    result = ContextAssembler(contexts, shelves).assemble("main")
    assert result.system_prompt == words(6, "small")
    parts = result.receipt.parts
    for _ in range(levels):
        parts = parts[0].parts
    big, small = parts[0].blocks[0], parts[1].blocks[0]
    assert (big.action, small.action) == ("dropped", "kept")


def test_one_of_two_lost_duplicates_is_back_and_the_other_names_it():
    plan = {
        "messages": [
            {"type": "context", "name": "long", "priority": 1},
            {"type": "context", "name": "short"},
            {"type": "context", "name": "other"},
        ],
        "policy": {
            "counter": "whitespace",
            "input_budget": {"max_tokens": 40},
            "dedupe": {"fields": ["note"]},
            "compactor": {"type": "drop_blocks"},
        },
    }
    shelves = {
        "long": Shelf([noted("big", 60)]),
        "short": Shelf([noted("small", 6)]),
        "other": Shelf([noted("next", 7)]),
    }
    result = ContextAssembler({"main": plan}, shelves).assemble("main")
    assert result.system_prompt == words(6, "small")
    (block,) = part_named(result, "other").blocks
    assert block.cause == "duplicate"
    assert "'small' in pack 'short'" in block.reason


def combined(own: dict[str, Any], texts: list[int], **settings: Any) -> ContextAssemblyResult:
    """One combined retriever over blocks of these sizes."""
    plan = {
        "messages": [{"type": "context", "name": "all", **own}],
        "policy": {
            "counter": "whitespace",
            "input_budget": {"max_tokens": 500},
            "compactor": {"type": "drop_blocks"},
        },
    }
    blocks = [noted(f"b{at}", size, f"n{at}") for at, size in enumerate(texts)]
    config = {"retriever_id": "combined", "of": ["mail"], **settings}
    retrievers = {"mail": {"config": {"limit": 9}}, "all": {"config": config}}
    assembler = ContextAssembler({"main": plan}, retrievers)
    return assembler.assemble("main", retrievers={"mail": Shelf(blocks)})


def placed(result: ContextAssemblyResult) -> list[str]:
    return [block.id for block in part_named(result, "all").blocks if block.given]


def test_a_combined_retriever_chooses_by_what_its_format_writes():
    """By its own words the second block fits as well; written, only the small one does."""
    form = {"item": "{content} and five words more here"}
    result = combined({"format": form, "budget": {"max_tokens": 19}}, [8, 9, 2])
    assert placed(result) == ["b0"]
    result = combined({"format": form, "budget": {"max_tokens": 20}}, [8, 9, 2])
    assert placed(result) == ["b0", "b2"]
    assert part_named(result, "all").given == 20


def test_the_title_of_a_combined_retriever_leaves_less_to_its_blocks():
    own = {"title": "One two three", "budget": {"max_tokens": 16}}
    result = combined(own, [6, 8, 7], limit=3)
    assert placed(result) == ["b0", "b2"]


def test_what_characters_keep_out_does_not_name_a_share_that_grows():
    result = combined({"budget": {"max_tokens": 12}}, [3, 60, 4], maximum_total_characters=40)
    causes = {block.id: block.cause for block in part_named(result, "all").blocks}
    assert causes == {"b0": None, "b1": "maximum_total_characters", "b2": None}
