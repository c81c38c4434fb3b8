"""Nothing crosses between workspaces, users and groups, on any path of the workspace system."""

from __future__ import annotations

import asyncio
from typing import Any

from hypothesis import given, settings, strategies as st

from biblicus_context import ContextError
from biblicus_context.systems.workspace import (
    Block,
    BlockStore,
    ContextBuilder,
    ContextHints,
    ContextRequest,
    Focus,
    User,
)
from biblicus_context.testing.memory_store import InMemoryStore

NUMBERS = range(8)
USERS = ("ann", "bob")
WORKSPACES = ("acme", "bolt")


@st.composite
def worlds(draw: st.DrawFn) -> dict[str, Any]:
    """Two workspaces with the same ids, grants, links and activity of two users, and a request."""
    numbers = st.sampled_from(NUMBERS)
    return {
        "parents": {
            (workspace, number): draw(st.none() | st.sampled_from(range(number)) if number else st.none())
            for workspace in WORKSPACES
            for number in NUMBERS
        },
        "grants": draw(
            st.lists(st.tuples(st.sampled_from(WORKSPACES), numbers, st.sampled_from((*USERS, "hr"))), max_size=5)
        ),
        "links": draw(st.lists(st.tuples(st.sampled_from(WORKSPACES), numbers, numbers), max_size=5)),
        "uses": draw(st.lists(st.tuples(st.sampled_from(WORKSPACES), st.sampled_from(USERS), numbers), max_size=6)),
        "asker": User(
            id=draw(st.sampled_from(USERS)),
            workspace=draw(st.sampled_from(WORKSPACES)),
            groups=frozenset({"hr"}) if draw(st.booleans()) else frozenset(),
        ),
        "block": draw(st.none() | numbers),
        "page": draw(st.none() | numbers),
        "include": draw(st.lists(numbers, max_size=2)),
        "query": draw(numbers),
    }  # fmt: skip


def secret(workspace: str, number: int) -> str:
    return f"secret{workspace}x{number}"


def readable(world: dict[str, Any], workspace: str, number: int) -> bool:
    """By definition: the nearest block upwards with grants decides, else everybody reads it."""
    asker: User = world["asker"]
    if workspace != asker.workspace:
        return False
    here: int | None = number
    while here is not None:
        granted = {who for at, each, who in world["grants"] if (at, each) == (workspace, here)}
        if granted:
            # A later grant adds to what was inherited at that moment, so whoever may read is a superset.
            return bool(granted & {asker.id, *asker.groups}) or _inherited(world, workspace, here)
        here = world["parents"][workspace, here]
    return True


def _inherited(world: dict[str, Any], workspace: str, number: int) -> bool:
    """Whether a page above was granted to the asker before this block was."""
    asker: User = world["asker"]
    order = [(at, each) for at, each, _ in world["grants"]]
    first = order.index((workspace, number))
    above = world["parents"][workspace, number]
    while above is not None:
        early = {
            who for at, each, who in world["grants"][:first] if (at, each) == (workspace, above)
        }
        if early:
            return bool(early & {asker.id, *asker.groups}) or _inherited(world, workspace, above)
        above = world["parents"][workspace, above]
    return False


async def answer(world: dict[str, Any]) -> tuple[str, int]:
    """The text of a payload or of an error, and how many blocks were considered."""
    store = BlockStore.open(InMemoryStore())
    for workspace in WORKSPACES:
        await store.put_block(
            *(
                Block(
                    id=str(number),
                    type="page" if number % 2 else "todo",
                    title=secret(workspace, number) if number % 2 else "",
                    content=f"Words of {secret(workspace, number)} and more of the same.",
                    parent_id=None if parent is None else str(parent),
                    position=number,
                )
                for (at, number), parent in world["parents"].items()
                if at == workspace
            ),
            workspace=workspace,
        )
    for workspace, number, who in world["grants"]:
        users, groups = ([], [who]) if who == "hr" else ([who], [])
        await store.grant(str(number), workspace, users=users, groups=groups)
    for workspace, source, target in world["links"]:
        await store.link(str(source), str(target), workspace)
    for workspace, user, number in world["uses"]:
        await store.record_edit(str(number), User(user, workspace))
        await store.record_view(str(number), User(user, workspace))
    block, page = world["block"], world["page"]
    request = ContextRequest(
        query=f"Words of {secret(world['asker'].workspace, world['query'])}",
        user=world["asker"],
        focus=Focus(
            block_id=None if block is None else str(block),
            page_id=None if page is None else str(page),
        ),
        hints=ContextHints(include_blocks=[str(each) for each in world["include"]], max_depth=3),
    )
    try:
        payload = await ContextBuilder(store).build(request)
    except ContextError as error:
        return str(error), 0
    said = [str(each) for each in payload.sections]
    receipt = payload.result.receipt.model_dump_json()
    evidence = payload.serialized.rpartition("User Query:")[0]
    query = request.query
    return "\n".join([evidence, *said, receipt]).replace(
        query, ""
    ), payload.metadata.blocks_considered


@settings(max_examples=60)
@given(worlds())
def test_nothing_that_may_not_be_read_is_in_a_payload_a_receipt_or_an_error(world):
    text, considered = asyncio.run(answer(world))
    asked = secret(world["asker"].workspace, world["query"])
    visible = 0
    for workspace in WORKSPACES:
        for number in NUMBERS:
            if readable(world, workspace, number):
                visible += 1
            elif secret(workspace, number) != asked:
                assert secret(workspace, number) not in text
    assert considered <= visible
