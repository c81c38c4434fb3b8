"""No pack leaves evidence out while another block of it would still fit."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hypothesis import given, settings, strategies as st

from biblicus_context import BudgetError, ContextAssembler, ContextPack, ContextPackBlock
from tests.assembly.fakes import WHITESPACE, words

MOST_SIZE = 14


@dataclass
class Source:
    """A retriever over blocks of these sizes; a modest one keeps to the tokens of its request."""

    name: str
    sizes: list[int]
    modest: bool

    def __call__(self, request: Any) -> ContextPack:
        start, room = request.offset, request.max_tokens
        page = []
        for at, size in list(enumerate(self.sizes))[start : start + request.limit]:
            if self.modest and room is not None and size > room:
                break
            room = None if room is None else room - size
            text = f"{self.name}{at} {words(size - 1, self.name)}".strip()
            page.append(ContextPackBlock(evidence_item_id=f"{self.name}{at}", text=text))
        return ContextPack(
            text="\n\n".join(block.text for block in page),
            evidence_count=len(page),
            blocks=page,
            more=start + len(page) < len(self.sizes),
        )


@dataclass
class Plan:
    """One assembly, and the limits of each pack by its place."""

    contexts: dict[str, Any]
    history: list[dict[str, Any]]
    total: int | None
    caps: dict[str, int]
    sources: dict[str, Source]
    limits: dict[str, int]

    def fence_of(self, name: str) -> int:
        """The tokens of the two tags around each block of a pack; the first one has an id."""
        messages = [each for context in self.contexts.values() for each in context["messages"]]
        entries = [*messages, *(one for each in messages for one in each.get("first", ()))]
        fenced = any(
            isinstance(each, dict) and each.get("name") == name and "format" in each
            for each in entries
        )
        return 3 if fenced else 0

    def assembler(self) -> ContextAssembler:
        settings = {name: {"config": {"limit": limit}} for name, limit in self.limits.items()}
        return ContextAssembler(self.contexts, settings, retriever_functions=self.sources)


sizes = st.lists(st.integers(1, MOST_SIZE), max_size=12)
NAMES = ("a", "b", "c", "d")


@st.composite
def directives(draw: st.DrawFn, names: tuple[str, ...]) -> list[dict[str, Any]]:
    """Packs of these names, some of them with limits of their own."""
    found = []
    for name in names:
        pack: dict[str, Any] = {"type": "context", "name": name}
        if draw(st.booleans()):
            pack["weight"] = draw(st.sampled_from([0.2, 1, 3]))
            pack["priority"] = draw(st.integers(0, 2))
        if draw(st.integers(0, 3)) == 0:
            pack["budget"] = {"max_tokens": draw(st.integers(1, 60))}
        if draw(st.integers(0, 3)) == 0:
            least = draw(st.integers(1, 30))
            pack["budget"] = {"min_tokens": least, "max_tokens": least + draw(st.integers(0, 40))}
        if draw(st.integers(0, 3)) == 0:
            pack["format"] = {"fence": True}
        pack["ordering"] = draw(st.sampled_from(["rank", "source", "edges", "reading"]))
        found.append(pack)
    return found


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """Packs of one context, and perhaps those of a nested one and of a group of alternatives."""
    known = {name: Source(name, draw(sizes), draw(st.booleans())) for name in NAMES}
    paging = draw(st.booleans())
    limits = {name: draw(st.integers(1, 4)) if paging else 40 for name in NAMES}
    messages = draw(directives(NAMES[:3]))
    if draw(st.booleans()):
        messages.append({"first": [*draw(directives(("d",))), words(3, "short")]})
    text = {"type": "system", "content": words(draw(st.integers(1, 9)), "rule")}
    inner = {"messages": [text, *draw(directives(("d",)))]}
    if draw(st.booleans()):
        messages.insert(draw(st.integers(0, 3)), {"type": "context", "name": "inner"})
    history = [{"role": "user", "content": words(5, "turn")}] * draw(st.integers(0, 6))
    messages += [{"type": "history"}, {"type": "user", "content": words(4, "ask")}]
    policy: dict[str, Any] = {**WHITESPACE, "dedupe": False}
    total = draw(st.one_of(st.none(), st.integers(10, 150)))
    if total is not None:
        policy["pack_budget"] = {"default_max_tokens": total}
    if total is None or draw(st.booleans()):
        policy["input_budget"] = {"max_tokens": draw(st.integers(15, 200))}
        total = None if total is None else min(total, policy["input_budget"]["max_tokens"])
    if paging:
        policy["expansion"] = {"max_pages": 20}
    if draw(st.booleans()):
        policy["compactor"] = {"type": "drop_blocks"}
    contexts = {"main": {"messages": messages, "policy": policy}, "inner": inner}
    caps = {
        f"{place}messages[{at}]": directive["budget"]["max_tokens"]
        for place, entries in (("", messages), ("inner/", inner["messages"]))
        for at, directive in enumerate(entries)
        if "budget" in directive
    }
    return Plan(contexts, history, total, caps, known, limits)


def left_out(plan: Plan, part: Any, prefix: str = "") -> Iterator[tuple[str, int, list[str]]]:
    """What packs left out: what it is, its tokens, and the places that it would have to fit."""
    for inner in part.parts:
        for what, tokens, places in left_out(plan, inner, "inner/"):
            yield what, tokens, [*places, part.place]
    if part.kind != "context" or part.parts or part.place.count("first"):
        return
    for block in part.blocks:
        if block.asked is not None and block.given < block.asked:
            yield block.id, block.asked - block.given, [prefix + part.place]
    # A retriever is asked for more only where everything that it returned is placed.
    source, offered = plan.sources[part.name], len(part.blocks)
    asked = [block.asked for block in part.blocks if block.asked is not None]
    if part.action == "kept" and offered < len(source.sizes):
        fences = sum(asked) - sum(
            source.sizes[int(block.id[1:])] for block in part.blocks if block.asked is not None
        )
        tokens = source.sizes[offered] + max(fences, plan.fence_of(part.name))
        yield f"{part.name}{offered} (never asked for)", tokens, [prefix + part.place]


@settings(max_examples=4 * settings().max_examples)
@given(plans())
def test_no_block_is_left_out_that_would_fit(plan: Plan):
    try:
        result = plan.assembler().assemble("main", history=plan.history)
    except BudgetError:
        return
    receipt = result.receipt
    packs = [part for part in receipt.parts if part.kind == "context"]
    placed = sum(part.given for part in packs)
    if plan.total is not None:
        assert placed <= plan.total
    sizes_now = {part.place: part.given for part in packs}
    sizes_now |= {f"inner/{inner.place}": inner.given for part in packs for inner in part.parts}
    for place, cap in plan.caps.items():
        assert sizes_now.get(place, 0) <= cap
    for part in packs:
        if part.parts and receipt.budget is not None:
            continue  # what a nested context left out for its share is not fetched back by `fit`
        for what, tokens, places in left_out(plan, part):
            fits = [plan.total is None or placed + tokens <= plan.total]
            fits += [receipt.budget is None or receipt.used + tokens <= receipt.budget]
            fits += [
                place not in plan.caps or sizes_now[place] + tokens <= plan.caps[place]
                for place in places
            ]
            assert not all(fits), f"{what} of {tokens} tokens would fit"
    again = asyncio.run(plan.assembler().aassemble("main", history=plan.history))
    assert again.messages == result.messages
    assert again.fingerprint == result.fingerprint


def test_a_pack_is_asked_for_what_another_one_leaves_that_had_to_shrink():
    """All of b goes, as the total is full; then c has what it had no share for."""
    sources = {
        "a": Source("a", [5], False),
        "b": Source("b", [7], False),
        "c": Source("c", [4], True),
    }
    packs: list[dict[str, Any]] = [
        {"type": "context", "name": "a", "weight": 3},
        {"type": "context", "name": "b", "budget": {"min_tokens": 5, "max_tokens": 7}},
        {"type": "context", "name": "c"},
    ]
    policy = {
        **WHITESPACE,
        "pack_budget": {"default_max_tokens": 12},
        "input_budget": {"max_tokens": 15},
        "compactor": {"type": "drop_blocks"},
    }
    messages = [*packs, {"type": "user", "content": words(4, "ask")}]
    settings = {name: {"config": {"limit": 40}} for name in "abc"}
    assembler = ContextAssembler(
        {"main": {"messages": messages, "policy": policy}}, settings, retriever_functions=sources
    )
    receipt = assembler.assemble("main").receipt
    assert {part.name: part.given for part in receipt.parts if part.kind == "context"} == {
        "a": 5,
        "b": 0,
        "c": 4,
    }
    assert receipt.used == 13


def late_and_paged(
    messages: list[dict[str, Any]], policy: dict[str, Any], **sizes: list[int]
) -> Any:
    """The receipt of a plan whose retrievers return one block a page."""
    assembler = ContextAssembler(
        {
            "main": {
                "messages": [*messages, {"type": "user", "content": words(4, "ask")}],
                "policy": {**WHITESPACE, "expansion": {"max_pages": 20}, **policy},
            }
        },
        {name: {"config": {"limit": 1}} for name in sizes},
        retriever_functions={name: Source(name, each, False) for name, each in sizes.items()},
    )
    return assembler.assemble("main").receipt


def test_packs_are_asked_for_what_the_text_of_a_group_leaves_that_is_not_placed():
    """The text of the group was set aside, but its pack fits, and what remains is asked for."""
    receipt = late_and_paged(
        [
            {"type": "context", "name": "c"},
            {"first": [{"type": "context", "name": "d"}, words(9, "instead")]},
        ],
        {"input_budget": {"max_tokens": 20}},
        c=[3, 3, 3, 3, 3],
        d=[3],
    )
    assert [part.given for part in receipt.parts if part.name == "c"] == [12]
    assert receipt.used == 19


def test_a_block_that_is_offered_late_and_does_not_fit_says_what_it_needs():
    """All of d goes for the texts; b is asked for what is left then, and its next block is too large."""
    receipt = late_and_paged(
        [
            {"type": "context", "name": "b", "priority": 1},
            {"type": "context", "name": "d"},
            {"type": "system", "content": words(5, "rule")},
        ],
        {
            "pack_budget": {"default_max_tokens": 16},
            "input_budget": {"max_tokens": 19},
            "compactor": {"type": "drop_blocks"},
        },
        b=[8, 3, 1],
        d=[8],
    )
    (part,) = (part for part in receipt.parts if part.name == "b")
    assert [(block.id, block.asked, block.given, block.cause) for block in part.blocks] == [
        ("b0", 8, 8, None),
        ("b1", 3, 0, "input_budget"),
    ]
