"""Questions about properties find the blocks that have them, whatever words are in these."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from biblicus_context import InputError
from biblicus_context.stores import Document
from biblicus_context.systems.workspace import Block, BlockStore, ContextHints, TokenBudget, User
from biblicus_context.systems.workspace.property_questions import may_ask, property_question
from tests.systems.workspace.asking import ANN, ask, ids

TODAY = datetime.now(UTC).date()
STATUSES = ("open", "in progress", "done", "blocked")
PEOPLE = ("ann", "bob lee", "cy")
THINGS = ("lamp", "hall", "price list", "banner", "contract", "van", "menu")


def tracker() -> list[Block]:
    """200 tasks with a day and a status; no text says that one is overdue."""
    return [
        Block(
            id=f"t{n}",
            type="todo" if n % 3 else "kanban_card",
            content=f"Check the {THINGS[n % 7]} of room {n}",
            properties={
                "due": (TODAY + timedelta(days=n % 61 - 30)).isoformat(),
                "status": STATUSES[n % 4],
                "priority": ("low", "high")[n % 5 == 0],
                "assignee": PEOPLE[n % 3],
            },
        )
        for n in range(200)
    ]


def wanted(**conditions: Any) -> set[str]:
    return {
        each.id
        for each in tracker()
        if all(test(each.properties[name]) for name, test in conditions.items())
    }


OVERDUE = wanted(due=lambda day: day < TODAY.isoformat(), status=lambda said: said != "done")


@pytest.fixture(scope="module")
def store(module_place: str | Path) -> Iterator[BlockStore]:
    opened = BlockStore.open(module_place)
    page = Block(id="rules", type="page", title="Rules", content="A task has an owner and a day.")
    asyncio.run(opened.put_block(page, *tracker(), workspace="acme"))
    yield opened
    opened.close()


CHAT = TokenBudget(total=4000, focus=0, semantic=2500, relations=500, activity=500, history=300)


def test_overdue_tasks_are_found_in_a_tracker(store: BlockStore):
    """None of 41 was: the word is in no block."""
    hints = ContextHints(prioritize_types=["todo", "kanban_card"])
    payload = ask(store, "What tasks are overdue?", type="chat", token_budget=CHAT, hints=hints)
    found = [each for each in ids(payload, "semantic") if each.startswith("t")]
    assert len({*found} & OVERDUE) >= 0.9 * len(OVERDUE)
    assert len([each for each in found if each not in OVERDUE]) <= 15
    days = {each.id: each.properties["due"] for each in tracker()}
    first = [days[each] for each in found if each in OVERDUE]
    assert first == sorted(first)
    said = f"{len(OVERDUE)} blocks: due before {TODAY} and not done\n"
    assert f"### Related Content\n{said}" in payload.serialized


@pytest.mark.parametrize(
    ("query", "conditions"),
    [
        ("Which open tasks are due this week?", None),
        ("high priority tasks of Bob", {"priority": "high", "assignee": "bob lee"}),
        ("Which tasks are blocked?", {"status": "blocked"}),
        ("List my tasks in progress", {"status": "in progress", "assignee": "ann"}),
        ("completed tasks with priority low", {"status": "done", "priority": "low"}),
    ],
)
def test_words_of_a_query_are_conditions(
    store: BlockStore, query: str, conditions: dict[str, str] | None
):
    large = TokenBudget(total=9000, focus=0, semantic=8000, activity=0, relations=0)
    found = {*ids(ask(store, query, token_budget=large), "semantic")}
    if conditions is None:
        monday = TODAY - timedelta(days=TODAY.weekday())
        week = {(monday + timedelta(days=n)).isoformat() for n in range(7)}
        expected = wanted(due=week.__contains__, status=lambda said: said != "done")
    else:
        expected = wanted(**{name: each.__eq__ for name, each in conditions.items()})
    assert expected
    assert expected <= found
    assert len(found) <= len(expected) + 15


TRACKED = [
    Document(id=f"d{n}", kind="todo", metadata={"due": f"2026-05-{n:02}", "status": status, **more})
    for n, status, more in (
        (1, "open", {}),
        (4, "Open", {"priority": "high"}),
        (5, "done", {}),
        (9, "in review", {"owner": "Ann Lee"}),
        (20, "Won't do", {}),
    )
]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("Which tasks are overdue?", ["d1"]),
        ("What is due today?", ["d4"]),
        ("Is anything due tomorrow?", []),
        ("tasks due before 2026-05-10", ["d1", "d4", "d9"]),
        ("tasks due by May 9", ["d1", "d4", "d9"]),
        ("Which tasks are due after 4 May 2026?", ["d9"]),
        ("What is due next week?", []),
        ("due within 7 days", ["d4", "d9"]),
        ("open tasks", ["d1", "d4", "d9"]),
        ("Which tickets are still open?", ["d1", "d4", "d9"]),
        ("tasks that are not done", ["d1", "d4", "d9"]),
        ("show finished tasks", ["d5", "d20"]),
        ("tasks in review", ["d9"]),
        ("tasks owned by Ann", ["d9"]),
        ("Ann's tasks", ["d9"]),
        ("high priority tasks", ["d4"]),
        ("What has to be done today?", ["d4"]),
        ("What must be finished by May 9?", ["d1", "d4", "d9"]),
        ("What do we have to do this week?", ["d4", "d9"]),
        ("tasks due on Saturday", ["d9"]),
        ("What is due by Monday?", ["d1", "d4"]),
        ("What is Ann working on?", ["d9"]),
    ],
)
def test_what_a_query_asks_for(query: str, found: list[str]):
    assert may_ask(query)
    asked = property_question(query, TRACKED, user="eve", today=date(2026, 5, 4))
    assert asked is not None
    assert [each.id for each in asked.matching(TRACKED)] == found


@pytest.mark.parametrize(
    "query",
    [
        "How do I open a task?",
        "Break this task into subtasks",
        "Summarize this page",
        "Who ordered the lamp?",
        "What has been done about the hall?",
        "the deadline of the fair was moved",
        "issue with the printer",
        "Where are the items stored?",
        "What is the price of the card?",
        "What do I have to do on a business trip?",
        "What has to be done before the doors open?",
        "What are you working on?",
        "What is Eve working on?",
    ],
)
def test_other_questions_ask_for_no_properties(query: str):
    assert property_question(query, TRACKED, user="eve", today=date(2026, 5, 4)) is None


def test_hints_name_the_conditions_themselves(store: BlockStore):
    hints = ContextHints(
        types=["todo"],
        properties={
            "status": {"in": ["open", "blocked"]},
            "due": {"to": TODAY - timedelta(days=20)},
        },
    )
    payload = ask(store, "room", hints=hints, token_budget=CHAT)
    last = (TODAY - timedelta(days=20)).isoformat()
    expected = {
        each.id
        for each in tracker()
        if each.type == "todo"
        and each.properties["status"] in ("open", "blocked")
        and each.properties["due"] <= last
    }
    assert expected
    assert expected <= {*ids(payload, "semantic")}
    assert f"{len(expected)} blocks: type todo and status open or blocked and due to {last}" in (
        payload.serialized
    )
    with pytest.raises(InputError, match=r"properties.*at least one end"):
        ContextHints(properties={"due": {}})


def test_nobody_learns_of_tasks_that_they_may_not_read(store: BlockStore):
    """Neither their text nor how many there are."""
    asyncio.run(store.make_private("t0", "acme", users=["ann"]))
    ours = ask(store, "What tasks are overdue?", token_budget=CHAT).serialized
    theirs = ask(store, "What tasks are overdue?", User("bob", "acme"), token_budget=CHAT)
    assert f"{len(OVERDUE)} blocks" in ours
    assert f"{len(OVERDUE) - 1} blocks" in theirs.serialized
    assert "t0" not in ids(theirs)
    asyncio.run(store.make_public("t0", "acme"))
    asyncio.run(store.keep_from_models("t0", "acme"))
    assert "t0" not in ids(ask(store, "What tasks are overdue?", ANN, token_budget=CHAT))
    asyncio.run(store.allow_models("t0", "acme"))
