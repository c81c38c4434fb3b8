"""A company's workspace of 2,000 blocks: pages with paragraphs, tasks and cards, and a database."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

from biblicus_context.systems.workspace import Block, BlockStore, User

ANN: Final = User(id="ann", workspace="acme")
NOW: Final = datetime.now(UTC)
TEAMS: Final = ("sales", "design", "finance", "support", "research")
_TOPICS: Final = (
    *("the spring fair", "the new catalogue", "the price list", "the warehouse", "the website"),
    *(
        "the annual report",
        "the hiring plan",
        "the returns desk",
        "the newsletter",
        "the office move",
    ),
)
_TASKS: Final = (
    "Call the printer",
    "Book the hall",
    "Write the draft",
    "Check the figures",
    "Order samples",
)
_STEPS: Final = ("Ask for offers", "Compare them", "Sign the contract")


async def open_company(place: str = "workspace") -> BlockStore:
    """The workspace in a folder, written if the folder is new."""
    store = BlockStore.open(place)
    known = store.corpus.for_principal(ANN.principal).documents()
    if next(known, None) is None:
        await store.put_block(*blocks(), workspace=ANN.workspace)
    return store


def blocks() -> list[Block]:
    """Exactly 2,000 blocks, in an order in which no parent need come first."""
    found = [*_pages(), *_database(), *_focus()]
    fillers = (
        Block(id=f"note-{number}", type="paragraph", parent_id="archive", position=number,
              content=f"Meeting {number}: nothing was decided about {_TOPICS[number % 10]}.",
              last_modified=NOW - timedelta(days=400 + number))
        for number in range(2_000 - len(found) - 1)
    )  # fmt: skip
    return [*fillers, Block(id="archive", type="page", title="Archive"), *found]


def _pages() -> Iterator[Block]:
    for team in TEAMS:
        yield Block(id=team, type="page", title=team.capitalize(), content=f"Home of {team}.")
        for number, topic in enumerate(_TOPICS):
            page = f"{team}-{number}"
            yield Block(id=page, type="page", parent_id=team, position=number,
                        title=f"{team.capitalize()}: {topic}",
                        content=f"Everything {team} does for {topic}.",
                        last_modified=NOW - timedelta(days=number))  # fmt: skip
            yield from _page(page, team, topic, number)


def _page(page: str, team: str, topic: str, number: int) -> Iterator[Block]:
    for line in range(10):
        yield Block(id=f"{page}-p{line}", type="paragraph", parent_id=page, position=line,
                    content=f"{team.capitalize()} reports on {topic}, part {line}: the numbers of "
                    f"week {line + number} are in, and the next step is open.",
                    last_modified=NOW - timedelta(days=line * 4))  # fmt: skip
    for line, task in enumerate(_TASKS):
        is_late = (line + number) % 5 == 0
        yield Block(id=f"{page}-t{line}", type="todo", parent_id=page, position=10 + line,
                    content=f"{task} for {topic}",
                    properties={"status": "overdue" if is_late else "open", "team": team},
                    last_modified=NOW - timedelta(days=line))  # fmt: skip
    yield Block(id=f"{page}-c", type="kanban_card", parent_id=page, position=20,
                content=f"Milestone of {topic} by {team}", properties={"column": "doing"})  # fmt: skip


def _database() -> Iterator[Block]:
    yield Block(id="customers", type="database", title="Customers")
    for number in range(40):
        yield Block(id=f"customer-{number}", type="db_row", parent_id="customers", position=number,
                    title=f"Customer {number}", properties={"city": f"City {number % 7}"})  # fmt: skip


def _focus() -> Iterator[Block]:
    """A page to summarise, and a task to break down."""
    yield Block(id="page-123", type="page", title="Launch", content="The launch of the lamp.")
    for number in range(30):
        yield Block(id=f"launch-{number}", type="paragraph", parent_id="page-123", position=number,
                    content=f"Launch note {number}: the lamp is shown in hall {number}.")  # fmt: skip
    yield Block(id="task-456", type="todo", parent_id="page-123", position=30,
                content="Book the hall for the launch", properties={"status": "open"})  # fmt: skip
    for number, step in enumerate(_STEPS):
        yield Block(id=f"step-{number}", type="todo", parent_id="task-456", position=number,
                    content=step)  # fmt: skip
