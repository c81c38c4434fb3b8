"""What one workspace remembers, searches and is told never depends on another one."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from hypothesis import given, settings, strategies as st

from biblicus_context import InputError
from biblicus_context.systems.memory import ContextEngine, Memory, MemoryStore, Relationship
from biblicus_context.testing.memory_store import InMemoryStore

WORDS = ["lamp", "ship", "Friday", "hall", "Ann"]
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
names = st.sampled_from(["a", "b", "c"])
steps = st.one_of(
    st.tuples(st.just("remember"), names, texts),
    st.tuples(st.just("relate"), names, names),
    st.tuples(st.just("update"), names, st.floats(0, 1)),
    st.tuples(st.just("forget"), names, st.none()),
    st.tuples(st.just("forget_workspace"), names, st.none()),
    st.tuples(st.just("search"), texts, st.booleans()),
    st.tuples(st.just("build"), texts, st.sampled_from(["chat", "detailed", "x"])),
)


async def done(store: MemoryStore, engine: ContextEngine, who: str, step: Any) -> Any:
    """The outcome of one step, without times."""
    match step:
        case ("remember", name, text):
            return [each.id for each in await store.remember(Memory(id=name, content=text), who)]
        case ("relate", one, other):
            try:
                return await store.relate(Relationship(one, other, "x"), who)
            except InputError as error:  # an end that nobody remembered
                return str(error)
        case ("update", name, confidence):
            return await store.update(name, who, confidence=confidence)
        case ("forget", name, _):
            return await store.forget([name], who)
        case ("forget_workspace", _, _):
            done = await store.forget_workspace(who)
            return done.removed, done.unknown  # without the time
        case ("search", text, related):
            answer = await engine.search(text, who, include_relationships=related)
            return [
                (r.memory.id, r.memory.content, r.score, len(r.relationships))
                for r in answer.unwrap()
            ]
        case ("build", text, template):
            result = await engine.build_context(
                text, who, template=template, include_relationships=True
            )
            if not result.ok:
                return result.error
            if template == "detailed":
                return len(result.value.memories)
            return result.value.context, result.value.token_count


def exported(store: MemoryStore) -> list[dict[str, Any]]:
    """What a workspace remembers, without times."""
    lines = map(json.loads, store.export_lines("acme"))
    return [{name: value for name, value in each.items() if name != "created"} for each in lines]


def counted(engine: ContextEngine, who: str) -> Any:
    analytics = engine.analytics(who)
    return analytics.searches, analytics.failures, analytics.frequent, analytics.without_results


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["acme", "globex"]), steps), max_size=12))
def test_nothing_crosses_from_one_workspace_to_another(run: list[tuple[str, Any]]):
    async def both() -> None:
        shared, alone = MemoryStore.open(InMemoryStore()), MemoryStore.open(InMemoryStore())
        asked, only = ContextEngine(shared), ContextEngine(alone)
        for who, step in run:
            result = await done(shared, asked, who, step)
            if who == "acme":
                assert result == await done(alone, only, who, step)
        assert exported(shared) == exported(alone)
        assert counted(asked, "acme") == counted(only, "acme")

    asyncio.run(both())


def test_names_that_look_alike_are_different_workspaces(place: str | Path):
    store = MemoryStore.open(place)
    engine = ContextEngine(store)
    for name in ("acme", "ACME", "acme ", "acme/../globex", "ac%e", "'; DROP TABLE documents; --"):
        asyncio.run(store.remember(Memory(id="m", content=f"Lamp of {name!r}."), name))
    for name in ("acme", "ACME", "acme ", "acme/../globex", "ac%e", "'; DROP TABLE documents; --"):
        (found,) = engine.sync.search("lamp", name).unwrap()
        assert found.memory.content == f"Lamp of {name!r}."
    store.close()
