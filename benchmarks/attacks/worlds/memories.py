"""The memory system: workspaces write, relate, forget, search and build contexts in one store."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

from benchmarks.attacks.worlds.twins import Tally, Twins, some
from biblicus_context.systems.memory import ContextEngine, Memory, MemoryStore, Relationship
from biblicus_context.testing.store_samples import day

_TENANTS: Final = ("acme", "globex", "ACME")
_IDS: Final = ("a", "b", "c", "d")
_WORDS: Final = ("lamp", "ship", "Friday", "hall", "Ann", "lmap", "the")
_TYPES: Final = ("fact", "decision")
_TEMPLATES: Final = ("chat", "detailed", "summary", "none")


class _Said(logging.Handler):
    """What is logged, as text."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(f"{record.getMessage()} {record.exc_info and record.exc_info[1]}")


class _Memories(NamedTuple):
    """A store, the engine over it, and what the engine logs."""

    store: MemoryStore
    engine: ContextEngine
    said: _Said

    @classmethod
    def open(cls, place: Path) -> _Memories:
        logger, said = logging.Logger("memories"), _Said()
        logger.addHandler(said)
        store = MemoryStore.open(place)
        return cls(store, ContextEngine(store, logger=logger), said)


_Call = Callable[[_Memories], Awaitable[object]]


class MemoryWorld:
    """Three workspaces, two of which differ by their case only, with the same ids and words."""

    def __init__(self, folder: Path) -> None:
        shared = _Memories.open(folder / "shared")
        alone = {who: _Memories.open(folder / f"alone {n}") for n, who in enumerate(_TENANTS)}
        self._twins = Twins(dict.fromkeys(_TENANTS, shared), alone)
        for each in (shared, *alone.values()):
            self._twins.open.callback(each.store.close)
        self._shared = shared

    @property
    def tally(self) -> Tally:
        """What was compared."""
        return self._twins.tally

    def close(self) -> None:
        """Close all stores."""
        self._twins.close()

    async def step(self, chance: Random) -> None:
        """A write of one workspace, or a question of all of them."""
        if chance.random() < 0.6:
            who = chance.choice(_TENANTS)
            kind = chance.choice(("remember", "remember", "relate", "update", "forget", "rarely"))
            before = len(self._shared.said.lines)
            await self._twins.do(who, kind, _write(chance, kind, who))
            said = self._shared.said.lines[before:]
            alone = self._twins.alone[who].said.lines
            self.tally.compare(f"{who}: log", said, alone[len(alone) - len(said) :])
            return
        kind = chance.choice(("search", "search", "build", "build", "batch", "export", "analytics"))
        options = _options(chance)
        query = some(chance, _WORDS)
        await self._twins.ask(
            f"{kind} {query!r} {options}",
            lambda each, who: _read(each, str(who), kind, query, options),
        )


def _write(chance: Random, kind: str, who: str) -> _Call:
    one, other = chance.choice(_IDS), chance.choice(_IDS)
    match kind:
        case "remember":
            memories = [_memory(chance, name) for name in chance.sample(_IDS, chance.randint(1, 2))]
            return lambda each: each.store.remember_many(memories, who)
        case "relate":
            arrow = Relationship(one, other, chance.choice(("needs", "about")))
            return lambda each: each.store.relate(arrow, who)
        case "update":
            changes: dict[str, Any] = chance.choice(
                (
                    {"confidence": chance.random()},
                    # Without a time it would be that of the call, which differs.
                    {"content": some(chance, _WORDS), "updated_at": day(20)},
                    {"text": "x"},
                    {"superseded_by": other},
                )
            )
            return lambda each: each.store.update(one, who, **changes)
        case "forget":
            return lambda each: each.store.forget([one], who)
    if chance.random() < 0.5:
        return lambda each: each.store.forget_workspace(who)
    line = json.dumps({"id": one, "text": some(chance, _WORDS), "created": "2024-01-02T00:00:00Z"})

    async def imported(each: _Memories) -> int:
        return each.store.import_lines([line], who)

    return imported


def _memory(chance: Random, name: str) -> Memory:
    return Memory(
        id=name,
        content=some(chance, _WORDS, 6),
        type=chance.choice(_TYPES),
        confidence=chance.choice((None, 0.2, 0.9)),
        created_at=day(chance.randint(1, 28)),
        conversation_id=chance.choice((None, "c1")),
        superseded_by=chance.choice((None, None, None, "d")),
        metadata={"owner": chance.choice("xy")},
    )


def _options(chance: Random) -> dict[str, Any]:
    known: dict[str, Any] = {
        "limit": chance.randint(1, 4),
        "include_relationships": chance.random() < 0.6,
        "relationship_depth": chance.randint(1, 3),
        "ranker": chance.choice(("default", "similarity", "recency", "confidence", "none")),
        "conversation_id": chance.choice((None, "c1")),
        "min_confidence": chance.choice((None, 0.5)),
        "memory_types": chance.choice(((), ("fact",))),
        "date_from": chance.choice((None, day(10))),
    }
    return {name: known[name] for name in chance.sample(sorted(known), chance.randint(0, 4))}


async def _read(
    each: _Memories, who: str, kind: str, query: str, options: dict[str, Any]
) -> object:
    engine, template = each.engine, _TEMPLATES[len(query) % 4]
    match kind:
        case "search":
            return await engine.search(query, who, options)
        case "build" if len(query) % 2:
            return engine.sync.preview_context(query, who, options, template=template)
        case "build":
            return await engine.build_context(
                query, who, options, template=template, token_budget=60
            )
        case "batch":
            return await engine.search_batch([query, "lamp"], who, options)
        case "export":
            return [*each.store.export_lines(who)]
    known = engine.analytics(who)
    return known.searches, known.failures, known.frequent, known.without_results
