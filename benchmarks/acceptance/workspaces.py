"""The workspace system on 300 blocks: pages of a ferry company, and a tracker of 200 tasks."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from benchmarks.acceptance.figures import Figure, figure, loaded, sampled
from biblicus_context.embedders import build_embedder
from biblicus_context.systems.workspace import (
    Block,
    BlockStore,
    ContextBuilder,
    ContextPayload,
    ContextRequest,
    Focus,
    TokenBudget,
    User,
)

_USER: Final = User("finn", "ferry")
_CHAT: Final = TokenBudget(
    total=6000, focus=0, semantic=4500, relations=500, activity=0, history=300
)
_FIRST: Final = 5
_THINGS: Final = (
    *(
        "winch",
        "gangway",
        "life raft",
        "radar",
        "muster list",
        "galley stove",
        "paint",
        "mooring line",
    ),
    *("ticket roll", "bilge alarm", "deck light", "anchor chain", "first aid box"),
)
_ACTS: Final = ("Check the", "Replace the", "Order a new", "Photograph the", "Clean the")
_STATUSES: Final = ("open", "in progress", "done", "blocked")
_PEOPLE: Final = ("finn", "ida", "jule")
_TASKS: Final = 200
_NOTES: Final = 40


async def measured(folder: Path, embedder: str, most: int | None) -> Sequence[Figure]:
    """What is found, by words and by properties, in what order, and where it is silent."""
    store = BlockStore.open(folder / "workspace", embedder=build_embedder(embedder))
    made = [*_pages(), *_tasks(), *_notes()]
    await store.put_block(*made, workspace=_USER.workspace)
    builder = ContextBuilder(store)
    asked = sampled(loaded("workspace/questions.yaml"), most)
    built = {each["ask"]: await _built(builder, each) for each in asked}
    page = await builder.build(
        ContextRequest(query="Summarize this page", user=_USER, focus=Focus(page_id="log"))
    )
    store.close()
    found = {name: _ids(payload) for name, payload in built.items()}
    tasks = {each.id: each for each in _tasks()}
    of_properties = [(each, _expected(each["where"], tasks)) for each in _kind(asked, "property")]
    return [
        figure("page among the first five", _gold(_kind(asked, "page"), found, _FIRST), 0.9),
        figure("page in the context", _gold(_kind(asked, "page"), found, None), 1.0),
        figure(
            "follow-ups: page in the context", _gold(_kind(asked, "follow_up"), found, None), 0.9
        ),
        figure(
            "tasks by their properties",
            [
                (f"{e['ask']} {name}", name in found[e["ask"]])
                for e, gold in of_properties
                for name in gold
            ],
            0.9,
        ),
        figure(
            "no page twice",
            [(name, len(ids) == len({*ids})) for name, ids in found.items()],
        ),
        figure("blocks of a page in its order", _in_order(page)),
        figure(
            "foreign messages: nothing placed",
            [(e["ask"], not found[e["ask"]]) for e in _kind(asked, "silent")],
            0.9,
        ),
    ]


async def _built(builder: ContextBuilder, each: Mapping[str, Any]) -> ContextPayload:
    before = [each["before"]] if "before" in each else []
    history = [{"role": "user", "content": said} for said in before]
    return await builder.build(
        ContextRequest(
            query=each["ask"],
            type="chat",
            user=_USER,
            conversation_history=history,
            token_budget=_CHAT,
        )
    )


def _pages() -> Iterator[Block]:
    for each in loaded("workspace/pages.yaml"):
        yield Block(id=each["id"], type="page", title=each["title"], content=each["text"])


def _notes() -> Iterator[Block]:
    """A page of paragraphs of different ages."""
    now = datetime.now(UTC)
    yield Block(
        id="log", type="page", title="Log of the pier", content="What was done at the pier."
    )
    for number in range(_NOTES):
        yield Block(
            id=f"log-{number}",
            type="paragraph",
            parent_id="log",
            position=number,
            content=f"Entry {number}: the {_THINGS[number % 13]} of pier {number % 4} was looked at.",
            last_modified=now - timedelta(days=number * 11 % 37),
        )


def _tasks() -> Iterator[Block]:
    today = datetime.now(UTC).date()
    for number in range(_TASKS):
        yield Block(
            id=f"task-{number}",
            type="todo" if number % 3 else "kanban_card",
            content=f"{_ACTS[number % 5]} {_THINGS[number % 13]} at berth {number}",
            properties={
                "due": (today + timedelta(days=number * 7 % 61 - 30)).isoformat(),
                "status": _STATUSES[number % 4],
                "priority": "high" if number % 5 == 0 else "low",
                "assignee": _PEOPLE[number % 3],
            },
        )


def _expected(where: Mapping[str, Any], tasks: Mapping[str, Block]) -> list[str]:
    """The first twenty tasks that are meant: more fit into no budget of a chat."""
    today = datetime.now(UTC).date()
    first, last = where.get("days", (None, None))
    if "week" in where:
        monday = today - timedelta(days=today.weekday())
        first, last = (monday - today).days, (monday - today).days + 6

    def is_meant(task: Block) -> bool:
        known = task.properties
        days = (datetime.fromisoformat(known["due"]).date() - today).days
        return (
            (not where.get("open") or known["status"] != "done")
            and (first is None or days >= first)
            and (last is None or days <= last)
            and all(known[name] == where[name] for name in known if name in where)
        )

    found = [each for each in tasks.values() if is_meant(each)]
    return [each.id for each in sorted(found, key=lambda e: (e.properties["due"], e.id))][:20]


def _ids(payload: ContextPayload) -> list[str]:
    return [item.block_id for each in payload.sections if each.title for item in each.items]


def _kind(asked: Sequence[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [each for each in asked if each["kind"] == kind]


def _gold(
    asked: Sequence[dict[str, Any]], found: Mapping[str, list[str]], most: int | None
) -> list[tuple[str, bool]]:
    return [(each["ask"], each["gold"] in found[each["ask"]][:most]) for each in asked]


def _in_order(page: ContextPayload) -> list[tuple[str, bool]]:
    """Whether each entry stands after the one before it."""
    numbers = [int(name.partition("-")[2]) for name in _ids(page) if name.startswith("log-")]
    return [(f"{one} before {other}", one < other) for one, other in itertools.pairwise(numbers)]
