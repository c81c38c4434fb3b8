"""The learning system: workspaces record, index and recall in one folder."""

from __future__ import annotations

import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

from benchmarks.attacks.worlds.twins import Tally, Twins, some
from biblicus_context.systems.learning import (
    ContextAssembler,
    Experience,
    LearningStore,
    Memory,
    Value,
)
from biblicus_context.testing.store_samples import day

_TENANTS: Final = ("acme", "globex")
_IDS: Final = ("a", "b", "c")
_WORDS: Final = ("flaky", "test", "clock", "lock", "race", "zone", "the")
_TYPES: Final = ("memories", "code", "experiences", "values", "commits")
_DOMAINS: Final = ("debugging", "testing")
_WRITES: Final = (
    "memory",
    "memory",
    "experience",
    "experience",
    "value",
    "derive",
    "code",
    "commits",
)
_READS: Final = ("context", "context", "premortem", "search")


class _Learning(NamedTuple):
    """A store, the assembler over it, and the files that it indexes."""

    store: LearningStore
    assembler: ContextAssembler
    root: Path

    @classmethod
    def open(cls, place: Path, workspace: str, root: Path) -> _Learning:
        store = LearningStore.open(place, workspace)
        return cls(store, ContextAssembler(store.searcher()), root)


_Call = Callable[[_Learning], Awaitable[object]]


class LearningWorld:
    """Two workspaces over one folder of stores, each with a repository of its own."""

    def __init__(self, folder: Path) -> None:
        roots = {who: folder / f"files of {who}" for who in _TENANTS}
        for root in roots.values():
            subprocess.run(["git", "init", "--quiet", str(root)], check=True)
        self._twins = Twins(
            {who: _Learning.open(folder / "shared", who, roots[who]) for who in _TENANTS},
            {who: _Learning.open(folder / f"alone {who}", "w", roots[who]) for who in _TENANTS},
        )
        for each in (*self._twins.shared.values(), *self._twins.alone.values()):
            self._twins.open.callback(each.store.close)

    @property
    def tally(self) -> Tally:
        """What was compared."""
        return self._twins.tally

    def close(self) -> None:
        """Close all stores."""
        self._twins.close()

    async def step(self, chance: Random) -> None:
        """A write of one workspace, or a question of both."""
        if chance.random() < 0.6:
            who, kind = chance.choice(_TENANTS), chance.choice(_WRITES)
            await self._twins.do(who, kind, _write(chance, kind, self._twins.shared[who].root))
            return
        kind, query = chance.choice(_READS), some(chance, _WORDS)
        types = chance.sample(_TYPES, chance.randint(1, 5))
        domain, strategy = chance.choice(_DOMAINS), chance.choice((None, "bisection"))
        budget = chance.choice((80, 400, 2_000))

        async def read(each: _Learning, _: object) -> object:
            match kind:
                case "context":
                    return await each.assembler.assemble_context(query, types, max_tokens=budget)
                case "premortem":
                    ask = each.assembler.get_premortem_context
                    return await ask(domain, strategy, max_tokens=budget)
            found = each.store
            return [
                await found.search_memories(query, 3),
                await found.search_experiences(query, 3, axis="strategy", domain=domain),
                await found.search_values(query, 3),
                await found.search_code(query, 3),
                await found.search_commits(query, 3),
            ]

        await self._twins.ask(f"{kind} {query!r} {types} {domain} {strategy} {budget}", read)


def _write(chance: Random, kind: str, root: Path) -> _Call:
    name, when = chance.choice(_IDS), day(chance.randint(1, 28))
    match kind:
        case "memory":
            memory = Memory(id=name, content=some(chance, _WORDS, 6), created_at=when)
            return lambda each: each.store.record_memory(memory)
        case "experience":
            experience = Experience(id=name, created_at=when, **_experience(chance))
            return lambda each: each.store.record_experience(experience)
        case "value":
            value = Value(id=name, text=some(chance, _WORDS, 6), created_at=when)
            return lambda each: each.store.record_value(value)
        case "derive":
            return _derived
        case "code":
            (root / f"{name}.py").write_text(f"def {some(chance, _WORDS, 1)}():\n    pass\n")
            return lambda each: _counts(each.store.index_code(each.root))
    _commit(chance, root)
    return lambda each: _counts(each.store.index_commits(each.root))


async def _derived(each: _Learning) -> object:
    """Values of clusters, written again as of one day: those of two stores are not of the same moment."""
    found = await each.store.derive_values("full", 2)
    for value in found:
        await each.store.record_value(value.model_copy(update={"created_at": day(1)}))
    return found


async def _counts(indexing: Awaitable[Any]) -> tuple[object, ...]:
    found = await indexing
    return found.added, found.changed, found.removed, found.unchanged, found.blocks


def _experience(chance: Random) -> dict[str, Any]:
    return {
        "domain": chance.choice(_DOMAINS),
        "strategy": chance.choice(("bisection", "reading")),
        "goal": some(chance, _WORDS),
        "hypothesis": some(chance, _WORDS),
        "action": some(chance, _WORDS),
        "prediction": some(chance, _WORDS),
        "outcome_status": chance.choice(("confirmed", "falsified")),
        "outcome_result": some(chance, _WORDS),
        "surprise": chance.choice(("", some(chance, _WORDS))),
        "root_cause": chance.choice(("", some(chance, _WORDS))),
    }


def _commit(chance: Random, root: Path) -> None:
    (root / "notes.txt").write_text(f"{chance.random()}")
    name = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
    for arguments in (
        ["add", "notes.txt"],
        [*name, "commit", "--quiet", "-m", some(chance, _WORDS)],
    ):
        subprocess.run(["git", "-C", str(root), *arguments], check=True)
