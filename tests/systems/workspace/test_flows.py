"""The three flows of the published design, on a workspace of 2,000 blocks."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from biblicus_context.systems.workspace import (
    BlockStore,
    ContextBuilder,
    ContextHints,
    ContextPayload,
    ContextRequest,
    Focus,
    TokenBudget,
    User,
)
from tests.systems.workspace.company import blocks

ANN = User(id="ann", workspace="acme")
CHAT = TokenBudget(
    total=4000, focus=0, semantic=2500, relations=500, activity=500, history=300, system=200
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BlockStore]:
    opened = BlockStore.open(tmp_path_factory.mktemp("company") / "workspace")
    asyncio.run(opened.put_block(*blocks(), workspace="acme"))
    yield opened
    opened.close()


def built(store: BlockStore, request: ContextRequest) -> ContextPayload:
    """The payload, which is valid."""
    builder = ContextBuilder(store)
    payload = asyncio.run(builder.build(request))
    assert builder.validate(payload).problems == ()
    assert builder.estimate_tokens(payload) == payload.metadata.total_tokens
    return payload


def tokens(payload: ContextPayload) -> dict[str, int]:
    return {each.type: each.token_count for each in payload.sections}


def ids(payload: ContextPayload, section: str) -> list[str]:
    return [
        item.block_id for each in payload.sections if each.type == section for item in each.items
    ]


def test_the_workspace_has_2000_blocks():
    assert len({each.id for each in blocks()}) == 2_000


def test_a_page_is_summarised_from_what_is_in_it(store: BlockStore):
    budget = TokenBudget(
        total=3000, focus=2500, semantic=200, relations=200, activity=0, history=0, system=100
    )
    payload = built(
        store,
        ContextRequest(
            query="Summarize this page",
            focus=Focus(page_id="page-123"),
            type="assist",
            user=ANN,
            token_budget=budget,
        ),
    )
    given = tokens(payload)
    assert given["focus"] > 2 * (given["semantic"] + given["relations"] + given["activity"])
    assert given["activity"] == 0
    found = ids(payload, "focus")
    assert found[0] == "page-123"
    assert {f"launch-{number}" for number in range(30)} <= {*found}
    assert payload.metadata.total_tokens <= 3000


def test_a_chat_finds_the_overdue_tasks_of_the_workspace(store: BlockStore):
    payload = built(
        store,
        ContextRequest(
            query="What tasks are overdue?",
            type="chat",
            user=ANN,
            token_budget=CHAT,
            conversation_history=[{"role": "user", "content": "Hello."}],
            hints=ContextHints(prioritize_types=["todo", "kanban_card"]),
        ),
    )
    (semantic,) = (each for each in payload.sections if each.type == "semantic")
    assert len(semantic.items) == 15
    assert all(item.block_type == "todo" for item in semantic.items)
    assert all("status: overdue" in item.content for item in semantic.items)
    assert ids(payload, "focus") == []
    assert "User: Hello." in payload.serialized
    assert payload.metadata.total_tokens <= 4000


def test_a_task_is_broken_down_from_its_surroundings_and_similar_tasks(store: BlockStore):
    budget = TokenBudget(
        total=2000, focus=1200, semantic=500, relations=200, activity=0, history=0, system=100
    )
    payload = built(
        store,
        ContextRequest(
            query="Break this task into subtasks",
            focus=Focus(block_id="task-456"),
            type="assist",
            user=ANN,
            token_budget=budget,
        ),
    )
    around = ids(payload, "focus")
    assert around[0] == "task-456"
    assert {"step-0", "step-1", "step-2", "page-123", "launch-29"} <= {*around}
    assert ids(payload, "semantic")
    assert payload.metadata.total_tokens <= 2000
    step = next(each for each in payload.sections[1].items if each.block_id == "step-0")
    assert step.path == ("Launch",)
    assert step.page_title == "Launch"


def test_the_text_has_the_sections_of_the_design_in_order(store: BlockStore):
    payload = built(store, ContextRequest(query="Nothing to see", user=ANN))
    lines = [line for line in payload.serialized.splitlines() if line.startswith(("#", "---"))]
    assert lines == [
        *("## Current Context", "### Focused Content", "### Related Content"),
        *("### Connected Items", "### Recent Activity", "---"),
    ]
    assert "### Focused Content\n_No relevant content found._\n\n### Related" in payload.serialized
    assert payload.serialized.endswith("---\n\nUser Query: Nothing to see")
