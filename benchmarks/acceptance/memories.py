"""The memory system on 81 memories with conflicts, codes and chit-chat."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from benchmarks.acceptance.figures import HERE, Figure, figure, loaded, sampled
from biblicus_context.embedders import build_embedder
from biblicus_context.systems.memory import ContextEngine, Memory, MemoryStore

_WORKSPACE: Final = "ferry"
_BUDGET: Final = 600
_SIX: Final = 6


async def measured(folder: Path, embedder: str, most: int | None) -> Sequence[Figure]:
    """What is found, in what order, and where it is silent; of both sets."""
    figures = []
    for name, start in (("", ""), ("second set: ", "second_")):
        own = await _measured(folder / f"{start}memories", embedder, most, start)
        figures += [each._replace(what=f"{name}{each.what}") for each in own if each.of]
    return figures


async def _measured(folder: Path, embedder: str, most: int | None, start: str) -> Sequence[Figure]:
    store = MemoryStore.open(folder, embedder=build_embedder(embedder))
    await store.remember_many(memories(start), _WORKSPACE)
    await store.embed_waiting(_WORKSPACE)
    engine = ContextEngine(store)
    asked = sampled(loaded(f"memory/{start}questions.yaml"), most)
    found = {each["ask"]: await _found(engine, each) for each in asked if each.get("gold")}
    own = [each for each in asked if each["ask"] in found]
    built = {each["ask"]: await _placed(engine, each) for each in asked}
    small_talk = [e.id for e in memories(start) if e.type == "message"]
    plain = [each for each in own if each["kind"] != "follow_up"]
    store.close()
    return [
        figure("gold in a context of 600 tokens", _gold(plain, built), 0.99),
        figure(
            "gold among the first six", _gold(plain, {a: f[:_SIX] for a, f in found.items()}), 0.95
        ),
        figure("the right one first", _first(plain, found), 0.9),
        figure("exact codes first", _first([e for e in plain if e["kind"] == "code"], found), 1.0),
        figure("newer above older", _order(own, found), 1.0),
        figure("follow-ups: gold in the context", _gold(_kind(own, "follow_up"), built), 0.8),
        figure("foreign messages: nothing placed", _silent(_kind(asked, "silent"), built), 0.9),
        figure("near foreign: nothing placed", _silent(_kind(asked, "near"), built), 0.0),
        figure(
            "questions without chit-chat in six",
            [(e["ask"], not {*found[e["ask"]][:_SIX]} & {*small_talk}) for e in plain],
            0.95,
        ),
    ]


def memories(start: str = "") -> list[Memory]:
    """The memories, as old as their `age` in days; `start` is that of the names of the files."""
    now = datetime.now(UTC)
    lines = (HERE / "memory" / f"{start}memories.jsonl").read_text("utf-8").splitlines()
    return [
        Memory(
            id=each["id"],
            type=each["type"],
            content=each["content"],
            confidence=each.get("confidence"),
            created_at=now - timedelta(days=each["age"]),
        )
        for each in map(json.loads, lines)
    ]


def _history(question: Mapping[str, Any]) -> dict[str, Any]:
    if "before" not in question or "history" not in _options():
        return {}
    return {"history": [{"role": "user", "content": question["before"]}]}


def _options() -> Mapping[str, Any]:
    from biblicus_context.systems.memory import ContextOptions

    return ContextOptions.model_fields


async def _found(engine: ContextEngine, question: Mapping[str, Any]) -> list[str]:
    found = await engine.search(question["ask"], _WORKSPACE, **_history(question))
    return [each.memory.id for each in found.unwrap()]


async def _placed(engine: ContextEngine, question: Mapping[str, Any]) -> list[str]:
    built = await engine.build_context(
        question["ask"], _WORKSPACE, token_budget=_BUDGET, **_history(question)
    )
    return [*built.unwrap().memory_ids]


def _kind(asked: Sequence[Mapping[str, Any]], kind: str) -> list[Mapping[str, Any]]:
    return [each for each in asked if each["kind"] == kind]


def _gold(
    asked: Sequence[Mapping[str, Any]], found: Mapping[str, Sequence[str]]
) -> list[tuple[str, bool]]:
    return [
        (f"{each['ask']} -> {gold}", gold in found[each["ask"]])
        for each in asked
        for gold in each["gold"]
    ]


def _first(
    asked: Sequence[Mapping[str, Any]], found: Mapping[str, Sequence[str]]
) -> list[tuple[str, bool]]:
    wanted = [each for each in asked if each.get("first") or each.get("above")]
    return [(e["ask"], found[e["ask"]][:1] == e["gold"][:1]) for e in wanted]


def _order(
    asked: Sequence[Mapping[str, Any]], found: Mapping[str, Sequence[str]]
) -> list[tuple[str, bool]]:
    return [
        (f"{each['ask']} {newer} above {older}", _is_above(newer, older, found[each["ask"]]))
        for each in asked
        for newer, older in each.get("above", ())
    ]


def _is_above(newer: str, older: str, found: Sequence[str]) -> bool:
    if newer not in found:
        return False
    return older not in found or found.index(newer) < found.index(older)


def _silent(
    asked: Sequence[Mapping[str, Any]], built: Mapping[str, Sequence[str]]
) -> list[tuple[str, bool]]:
    return [(each["ask"], not built[each["ask"]]) for each in asked]
