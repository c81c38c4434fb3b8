"""What a query finds: the best passage of many pages, about what the conversation is about."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from biblicus_context.systems.workspace import (
    Block,
    BlockStore,
    ContextHints,
    Focus,
    TokenBudget,
)
from tests.systems.workspace.asking import ask, ids

TOPICS = ("parental leave", "travel costs", "the server room", "the spring fair", "office plants")
SEARCH = TokenBudget(total=8000, focus=0, semantic=7000, relations=0, activity=0)


def page(number: int) -> Block:
    """Eight sections, each of which names the topic of the page."""
    topic = TOPICS[number % 5]
    sections = (
        f"## Part {part}\n\n"
        + " ".join(f"Rule {part}.{n} of {topic} is for team {number}." for n in range(22))
        for part in range(8)
    )
    return Block(id=f"p{number}", type="page", title=topic.title(), content="\n\n".join(sections))


@pytest.fixture(scope="module")
def store(module_place: str | Path) -> Iterator[BlockStore]:
    opened = BlockStore.open(module_place)
    tell = Block(
        id="tell",
        type="page",
        title="Absences",
        content="Tell your lead about parental leave, and the people team, eight weeks before.",
    )
    asyncio.run(opened.put_block(tell, *map(page, range(120)), workspace="acme"))
    yield opened
    opened.close()


def test_a_page_answers_with_its_best_passage(store: BlockStore):
    """Fifteen parts came from two pages."""
    found = ids(ask(store, "rules of the server room", token_budget=SEARCH), "semantic")
    assert len(found) == len({*found}) >= 12
    assert {int(each[1:]) % 5 for each in found} == {2}


def test_a_search_finds_passages_of_more_pages(store: BlockStore):
    chat = ids(ask(store, "rules of the server room", type="chat", token_budget=SEARCH), "semantic")
    found = ids(
        ask(store, "rules of the server room", type="search", token_budget=SEARCH), "semantic"
    )
    assert len(found) > len(chat)
    assert len(found) == len({*found})


def test_a_follow_up_is_about_what_was_asked_before(store: BlockStore):
    """The same blocks were found with and without the conversation."""
    talk = [
        {"role": "user", "content": "How does parental leave work?"},
        {"role": "assistant", "content": "You may take up to three years."},
    ]
    query = "And who do I have to tell about it?"
    after = ids(ask(store, query, type="chat", conversation_history=talk), "semantic")
    assert "tell" in after[:5]
    assert sum(each == "tell" or int(each[1:]) % 5 == 0 for each in after) > len(after) / 2
    alone = ask(store, query, type="automate", conversation_history=talk)
    assert ids(alone, "semantic") == ids(ask(store, query, type="automate"), "semantic")


def test_an_outline_names_only_what_does_not_follow(store: BlockStore):
    """The first ten blocks of a page were in its outline, and followed in full."""
    lines = [
        Block(id=f"l{n}", type="text", parent_id="many", position=n, content=f"Line number {n}.")
        for n in range(35)
    ]
    top = Block(id="many", type="page", title="Many lines", content="All of them.")
    asyncio.run(store.put_block(top, *lines, workspace="acme"))
    text = ask(store, "Summarize this page", focus=Focus(page_id="many")).serialized
    focused = text.partition("### Related Content")[0]
    for number in range(35):
        assert focused.count(f"Line number {number}.") == 1, number
    asyncio.run(store.delete_block("many", "acme"))


def test_a_page_in_focus_is_read_from_its_top(store: BlockStore):
    """Of 435 pairs of paragraphs, 66 stood the wrong way round: the newest ranked first."""
    now = datetime.now(UTC)
    lines = [
        Block(id=f"l{n}", type="text", parent_id="many", position=n, content=f"Line {n} of many.",
              last_modified=now - timedelta(days=n * 7 % 29))
        for n in range(30)
    ]  # fmt: skip
    steps = [
        Block(id=f"s{n}", type="todo", parent_id="l4", position=n, content=f"Step {n} of line 4.")
        for n in range(3)
    ]
    top = Block(id="many", type="page", title="Many", content="All of them.")
    asyncio.run(store.put_block(top, *lines, *steps, workspace="acme"))
    focus, hints = Focus(page_id="many"), ContextHints(max_depth=2)
    found = ids(ask(store, "Summarize this page", focus=focus, hints=hints), "focus")
    after = [f"l{n}" for n in range(5)] + [each.id for each in steps]
    assert found == ["many", *after, *(f"l{n}" for n in range(5, 30))]
    asyncio.run(store.delete_block("many", "acme"))


def test_blocks_of_one_page_stand_together_as_on_the_page(store: BlockStore):
    lines = [
        Block(id=f"q{n}", type="text", parent_id=f"m{n % 2}", position=n,
              content=f"Quartz crystal {n}" + " glows." * (n * 5 % 7))
        for n in range(8)
    ]  # fmt: skip
    pages = [Block(id=f"m{n}", type="page", title=f"Page {n}") for n in range(2)]
    asyncio.run(store.put_block(*pages, *lines, workspace="acme"))
    found = ids(ask(store, "quartz crystal", token_budget=SEARCH), "semantic")[:8]
    even, odd = ([f"q{n}" for n in range(start, 8, 2)] for start in (0, 1))
    assert found in (even + odd, odd + even)
    asyncio.run(store.delete_block("m0", "acme"))
    asyncio.run(store.delete_block("m1", "acme"))
