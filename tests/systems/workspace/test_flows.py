"""The three flows of the published design, on a workspace of 2,000 blocks."""

from __future__ import annotations

import asyncio
import runpy
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from biblicus_context.systems.workspace import (
    Block,
    BlockStore,
    ContextBuilder,
    ContextPayload,
    ContextRequest,
    User,
)

EXAMPLES: Final = Path(__file__).parents[3] / "docs" / "examples" / "workspace"
FLOWS: Final = ("page_summary", "overdue_tasks", "task_breakdown")
ANN = User(id="ann", workspace="acme")


def example(name: str) -> dict[str, Any]:
    """What the program defines."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "dont_write_bytecode", True)
        patch.syspath_prepend(EXAMPLES)
        return runpy.run_path(str(EXAMPLES / f"{name}.py"))


def request(flow: str) -> ContextRequest:
    found: ContextRequest = example(flow)["REQUEST"]
    return found


def blocks() -> list[Block]:
    made: list[Block] = example("company")["blocks"]()
    return made


@pytest.fixture(scope="module")
def store(module_place: str | Path) -> Iterator[BlockStore]:
    opened = BlockStore.open(module_place)
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
    payload = built(store, request("page_summary"))
    given = tokens(payload)
    # What the page does not use flows to what the query finds, up to 15 blocks.
    assert given["focus"] > given["semantic"] + given["relations"] + given["activity"]
    assert given["activity"] == 0
    found = ids(payload, "focus")
    assert found[0] == "page-123"
    assert {f"launch-{number}" for number in range(30)} <= {*found}
    assert payload.metadata.total_tokens <= 3000


def test_a_chat_finds_the_overdue_tasks_of_the_workspace(store: BlockStore):
    payload = built(store, request("overdue_tasks"))
    (semantic,) = (each for each in payload.sections if each.type == "semantic")
    assert len(semantic.items) >= 15
    assert all(item.block_type == "todo" for item in semantic.items)
    assert all("status: overdue" in item.content for item in semantic.items)
    assert ids(payload, "focus") == []
    assert "User: Good morning." in payload.serialized
    assert payload.metadata.total_tokens <= 4000


def test_a_task_is_broken_down_from_its_surroundings_and_similar_tasks(store: BlockStore):
    payload = built(store, request("task_breakdown"))
    around = ids(payload, "focus")
    assert around[0] == "page-123"
    assert {"task-456", "step-0", "step-1", "step-2", "launch-29"} <= {*around}
    (semantic,) = (each for each in payload.sections if each.type == "semantic")
    assert len(semantic.items) > 5
    assert all(item.content.startswith("Book the hall for") for item in semantic.items)
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


def test_the_programs_run_as_they_are_copied(tmp_path: Path):
    """The first one writes the workspace, which the others read."""
    for name in ("company", *FLOWS):
        (tmp_path / f"{name}.py").write_text((EXAMPLES / f"{name}.py").read_text("utf-8"), "utf-8")
    for flow in FLOWS:
        done = subprocess.run(
            [sys.executable, f"{flow}.py"], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        assert done.stdout.rstrip().endswith(f"User Query: {request(flow).query}")
    assert (tmp_path / "workspace").is_dir()
