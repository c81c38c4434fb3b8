"""A builder can be configured, its plan replaced, and its payloads checked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from biblicus_context import ContextError, InputError
from biblicus_context.reading import shipped_plan
from biblicus_context.systems.workspace import (
    Block,
    BlockStore,
    ContextBuilder,
    ContextConfig,
    ContextHints,
    ContextRequest,
    Focus,
    TokenBudget,
    User,
)
from tests.systems.workspace.asking import ANN, ask, ids, only

NOW = datetime.now(UTC)
SENTENCES = " ".join(
    f"Sentence {number} says that the lamp is number {number}." for number in range(30)
)


FINDS: dict[str, Any] = {"min_score": 0.1}
"""What is relevant among a few blocks of the same words no corpus can tell."""


@pytest.fixture(scope="module")
def store(module_place: str | Path) -> Iterator[BlockStore]:
    opened = BlockStore.open(module_place)
    blocks = [
        Block(
            id=f"b{number}",
            type="todo",
            parent_id="page",
            position=number,
            content=f"Task {number}",
        )
        for number in range(12)
    ]
    long = Block(id="long", type="paragraph", content=SENTENCES)
    page = Block(id="page", type="page", title="Tasks", content="All the tasks.")
    asyncio.run(opened.put_block(page, long, *blocks, workspace="acme"))
    yield opened
    opened.close()


@pytest.mark.parametrize("name", ["focus", "semantic", "relations", "activity"])
def test_each_collector_can_be_switched_off(store: BlockStore, name: str):
    config = ContextConfig(collectors={name: False})
    payload = ask(store, "task 3", focus=Focus(page_id="page"), config=config)
    assert name not in payload.metadata.collectors_used
    assert ids(payload, name) == []


@pytest.mark.parametrize("total", [300, 1000, 1500, 4000])
def test_what_no_category_uses_goes_to_what_the_query_finds(store: BlockStore, total: int):
    """Also where the guarantees of the others, which find nothing, are the whole budget."""
    long = [
        Block(id=f"l{n}", type="paragraph", content=f"Lamp {n} is bright. {'It glows. ' * 40}{n}")
        for n in range(20)
    ]
    asyncio.run(store.put_block(*long, workspace="lamps"))
    user = User(id="ann", workspace="lamps")
    payload = ask(store, "lamp bright", user, token_budget=TokenBudget(total=total))
    found = len(ids(payload, "semantic"))
    assert found == 15 or payload.metadata.total_tokens > 0.75 * total


def test_settings_of_collectors_and_their_sources_can_be_changed(store: BlockStore):
    config = ContextConfig(collectors={"semantic": {"limit": 2, **FINDS}, "relations": False})
    assert len(ids(ask(store, "task", config=config), "semantic")) == 2
    config = ContextConfig(collectors={"focus": {"of": {"inside": {"children": 3}}}})
    assert len(ids(ask(store, focus=Focus(page_id="page"), config=config), "focus")) == 4
    with pytest.raises(InputError, match="no source has this name: found 'below'"):
        ContextBuilder(store, ContextConfig(collectors={"focus": {"of": {"below": {}}}}))


def test_weights_of_the_scorer_can_be_changed(store: BlockStore):
    """Without anything but position in the tree, the parent of a block is further than the block."""
    config = only(
        "focus",
        weights={
            "structure": 1.0,
            **dict.fromkeys(("similarity", "recency", "kinds", "affinity"), 1e-9),
        },
    )
    payload = ask(store, focus=Focus(block_id="b5"), config=config)
    scores = {item.block_id: round(item.relevance, 3) for item in payload.sections[1].items}
    assert scores == {"b5": 1.0, "page": 0.9, **dict.fromkeys(("b3", "b4", "b6", "b7"), 0.8)}


@pytest.mark.parametrize(
    ("truncation", "first", "last"),
    [("keep_start", True, False), ("keep_end", False, True), ("extractive", None, None)],
)
def test_a_block_that_is_too_long_is_cut_as_configured(
    store: BlockStore, truncation: Any, first: bool | None, last: bool | None
):
    config = only("focus", truncation=truncation)
    budget = TokenBudget(total=300, focus=150)
    payload = ask(store, focus=Focus(block_id="long"), config=config, token_budget=budget)
    assert ids(payload, "focus") == ["long"]
    content = payload.sections[1].items[0].content
    if first is not None:
        assert ("Sentence 0 says" in content, "number 29." in content) == (first, last)
    assert payload.metadata.total_tokens <= 300


def test_summaries_are_written_by_the_callable_of_the_program(store: BlockStore):
    builder = ContextBuilder(
        store,
        only("focus", truncation="summarize"),
        summarizer=lambda request: "Eighty sentences about lamps.",
    )

    request = ContextRequest(
        query="lamps",
        user=ANN,
        focus=Focus(block_id="long"),
        token_budget=TokenBudget(total=300, focus=150),
    )
    assert "Eighty sentences about lamps." in asyncio.run(builder.build(request)).serialized


def test_a_changed_copy_of_the_plan_replaces_it(store: BlockStore, tmp_path: Path):
    text = shipped_plan("workspace").read_text("utf-8")
    copy = tmp_path / "workspace.yaml"
    copy.write_text(text.replace("User Query:", "Frage:"), "utf-8")
    assert ask(store, "task 3", plan=copy).serialized.endswith("Frage: task 3")


def test_a_changed_plan_can_choose_by_the_type_of_a_request(store: BlockStore, tmp_path: Path):
    """In the shipped plan a search finds more pages, and has no recent activity."""
    text = shipped_plan("workspace").read_text("utf-8")
    text = text.replace("min_score: auto", "min_score: 0.1")
    for shown, guarded in (
        ("    name: semantic\n", "    name: semantic\n    when: input.type == 'search'\n"),
        ("context.semantic", "(context.semantic | default(''))"),
    ):
        assert shown in text
        text = text.replace(shown, guarded)
    copy = tmp_path / "workspace.yaml"
    copy.write_text(text, "utf-8")
    assert ids(ask(store, "task 3", plan=copy, type="search"), "semantic")
    assert ids(ask(store, "task 3", plan=copy, type="chat"), "semantic") == []
    config = ContextConfig(collectors={"semantic": FINDS})
    shipped = {
        each: ask(store, "task 3", type=each, config=config)
        for each in ("assist", "chat", "search", "automate")
    }
    found = {each: ids(payload, "semantic") for each, payload in shipped.items()}
    assert found["assist"] == found["chat"] == found["automate"]
    assert {*found["search"]} == {*found["chat"]}
    assert [name for name, each in shipped.items() if "Return only" in each.serialized] == [
        "automate"
    ]


def test_turns_and_instructions_are_there_where_they_are_budgeted(store: BlockStore):
    history = [{"role": "user", "content": "Good morning."}]
    given = TokenBudget(history=100, system=100)
    with_both = ask(store, "task 3", conversation_history=history, token_budget=given)
    assert with_both.serialized.startswith("You help with the pages of a workspace.")
    assert "\n\nUser: Good morning.\n\n## Current Context" in with_both.serialized
    nothing = TokenBudget(history=0, system=0)
    without = ask(store, "task 3", conversation_history=history, token_budget=nothing)
    assert without.serialized.startswith("## Current Context")


def test_every_problem_of_a_payload_is_named(store: BlockStore):
    builder = ContextBuilder(store, ContextConfig(forbidden=["TASK 3"]))
    payload = ask(store, "task 3", focus=Focus(page_id="page"))
    assert builder.validate(payload).problems == ("forbidden: 'TASK 3'",)
    builder = ContextBuilder(store)
    assert builder.validate(payload).valid
    nothing = payload._replace(sections=[])
    assert builder.validate(nothing).problems == ("empty: no block was found",)
    twice = payload._replace(sections=[*payload.sections, *payload.sections])
    assert "duplicate: block 'b3'" in builder.validate(twice).problems
    long = payload._replace(serialized=payload.serialized * 50)
    assert "tokens of 4000" in builder.validate(long).problems[0]


def test_a_payload_is_checked_by_what_its_user_may_read_now(place: str | Path):
    store = BlockStore.open(place)
    asyncio.run(store.put_block(Block(id="b", type="todo", content="Ship it"), workspace="acme"))
    payload = ask(store, "ship it", config=ContextConfig(collectors={"semantic": FINDS}))
    asyncio.run(store.grant("b", "acme", users=["bob"]))
    problems = ContextBuilder(store).validate(payload).problems
    assert problems == ("permission: user 'ann' may not read block 'b'",)
    store.close()


def test_nothing_is_known_of_a_workspace_that_was_never_written(tmp_path: Path):
    payload = ask(BlockStore.open(tmp_path / "empty"), "anything")
    assert ids(payload) == []
    assert not ContextBuilder(BlockStore.open(tmp_path / "empty")).validate(payload).valid


def test_a_short_block_is_left_out_rather_than_cut(store: BlockStore):
    blocks = [
        Block(id=f"{name}{length}", type="todo", content=" ".join(["lamp"] * length))
        for name in "ab"
        for length in (8, 60)
    ]
    asyncio.run(store.put_block(*blocks, workspace="short"))
    user = User(id="ann", workspace="short")
    for total in range(120, 240, 7):
        hints = ContextHints(include_blocks=["a8", "b8", "a60", "b60"])
        payload = ask(store, "lamp", user, hints=hints, token_budget=TokenBudget(total=total))
        for item in (each for section in payload.sections[1:5] for each in section.items):
            assert item.content.count("lamp") == 8 or item.block_id.endswith("60")


MISTAKES: dict[str, tuple[Callable[[], object], str]] = {
    "no user": (lambda: ContextRequest(query="x"), "ContextRequest.user: a value is required"),  # type: ignore[call-arg]
    "a type": (lambda: ask_of(type="ask"), "type: Input should be 'assist', 'chat'"),
    "a focus": (lambda: ask_of(focus={"page": "p"}), "focus: unknown field: found 'page'. Valid: "),
    "a page": (lambda: Focus(page_id=7), "Focus.page_id: Input should be a valid string"),  # type: ignore[arg-type]
    "a share": (lambda: TokenBudget(focus=-1), "TokenBudget.focus: .* greater than or equal to 0"),
    "a total": (lambda: TokenBudget(total=0), "TokenBudget.total: .* greater than 0"),
    "a time": (
        lambda: ContextHints(time_range={"since": NOW}),  # type: ignore[dict-item]
        "time_range.since.*: Input should be 'start' or 'end'",
    ),
    "a zone": (
        lambda: ContextHints(time_range={"start": NOW.replace(tzinfo=None)}),
        "time_range.start: Input should have timezone info",
    ),
    "a list": (
        lambda: ContextHints(exclude_blocks="b1"),
        "exclude_blocks: 'str' instances are not",
    ),
    "a depth": (lambda: ContextHints(max_depth=-1), "max_depth: .* greater than or equal to 0"),
    "a collector": (
        lambda: ContextConfig(collectors={"semantics": False}),  # type: ignore[dict-item]
        "collectors.semantics.*: Input should be 'focus', 'semantic'",
    ),
    "a truncation": (lambda: ContextConfig(truncation="middle"), "truncation: Input should be"),  # type: ignore[arg-type]
}


def ask_of(**request: Any) -> ContextRequest:
    return ContextRequest(query="x", user=ANN, **request)


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_names_its_field_and_what_is_valid(mistake: str):
    make, message = MISTAKES[mistake]
    with pytest.raises(InputError, match=message):
        make()


def test_a_time_range_is_written_as_in_json_too():
    hints = ContextHints(time_range={"start": "2026-05-01T00:00:00Z"})  # type: ignore[dict-item]
    assert hints.time_range == {"start": datetime(2026, 5, 1, tzinfo=UTC)}


AS_DESIGNED: dict[str, Any] = {
    "focus": {"of": {"around": {"ancestors": 3, "siblings": 2, "children": 5}}},
    "semantic": {"limit": 15, "min_score": "auto", "cache": {"ttl_seconds": 60}},
    "relations": {"limit": 10, "of": {"links": {"depth": 2}}},
    "activity": {"edits": 10, "views": 5, "within": "72h"},
}


def test_the_settings_of_the_design_have_a_name_here(store: BlockStore):
    """They are the defaults, so that a payload stays the same."""
    usual = ask(store, "task 3", focus=Focus(block_id="b5"))
    named = ask(
        store, "task 3", focus=Focus(block_id="b5"), config=ContextConfig(collectors=AS_DESIGNED)
    )
    assert named.serialized == usual.serialized


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "a setting": ({"collectors": {"semantic": {"topK": 3}}}, "unknown setting: found 'topK'"),
    "a weight": ({"weights": {"semantic": 0.3}}, "component 'semantic' not defined"),
    "a setting of a source": (
        {"collectors": {"focus": {"of": {"around": {"ancestor": 1}}}}},
        "unknown setting: found 'ancestor'",
    ),
    "no summarizer": ({"truncation": "summarize"}, "summarize needs a summarizer"),
}


@pytest.mark.parametrize("mistake", WRONG)
def test_a_wrong_setting_is_an_error_where_the_builder_is_made(store: BlockStore, mistake: str):
    """It failed in the first call, of some user."""
    config, message = WRONG[mistake]
    with pytest.raises(ContextError, match=message):
        ContextBuilder(store, ContextConfig(**config))
