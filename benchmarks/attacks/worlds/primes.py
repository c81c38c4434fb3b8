"""The prime system: users of two workspaces keep files, threads and messages of the same names."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

from benchmarks.attacks.worlds.twins import Tally, Twins, some
from biblicus_context.corpora import MemoryAnswerCache
from biblicus_context.systems.prime import ContextAssemblyService, File, Message, StoredService
from biblicus_context.testing.store_samples import day

_WORKSPACES: Final = ("acme", "acme/ann")
_USERS: Final = ("ann", "bob", "ann/ann")
_IDS: Final = ("f1", "f2", "f3")
_THREADS: Final = ("t1", "t2")
_WORDS: Final = ("lamp", "ship", "Friday", "hall", "plan", "lmap", "the")
_PATHS: Final = ("docs/plan.md", "docs/lamp.txt", "hall.md")


class _User(NamedTuple):
    """A user of a workspace; names are such that joined by a slash they would be the same."""

    workspace: str
    id: str


_Call = Callable[[StoredService], Awaitable[object]]


class PrimeWorld:
    """Six users, and services of two workspaces over one folder, with one cache."""

    def __init__(self, folder: Path) -> None:
        cache = MemoryAnswerCache(1_000)
        services = {
            name: ContextAssemblyService.open(folder / "shared", workspace=name, cache=cache)
            for name in _WORKSPACES
        }
        users = [_User(workspace, user) for workspace in _WORKSPACES for user in _USERS]
        self._twins = Twins(
            {each: services[each.workspace] for each in users},
            {
                each: ContextAssemblyService.open(folder / f"alone {number}", workspace="w")
                for number, each in enumerate(users)
            },
        )

    @property
    def tally(self) -> Tally:
        """What was compared."""
        return self._twins.tally

    def close(self) -> None:
        """Close all stores."""
        self._twins.close()

    async def step(self, chance: Random) -> None:
        """A write of one user, or a question of all of them."""
        if chance.random() < 0.6:
            who = chance.choice(self._twins.tenants)
            kind = chance.choice(_WRITES)
            await self._twins.do(who, kind, _write(chance, kind, who.id))
            return
        kind = chance.choice(("build", "build", "build", *_READS))
        query, thread = some(chance, _WORDS), chance.choice(_THREADS)
        await self._twins.ask(
            f"{kind} {query!r} {thread}",
            lambda each, who: _read(each, who.id, kind, query, thread),
        )


_WRITES: Final = (
    *("put", "put", "remove", "refer", "forget reference", "say", "say"),
    *("access", "feedback", "invalidate"),
)
_READS: Final = ("search", "keywords", "fuzzy", "accessed", "references", "recent")


def _write(chance: Random, kind: str, user: str) -> _Call:
    one, thread = chance.choice(_IDS), chance.choice(_THREADS)
    match kind:
        case "put":
            file = _file(chance, one, user)
            return lambda each: each.files.put(file)
        case "remove":
            return lambda each: each.files.remove(one, user_id=user)
        case "refer":
            return lambda each: each.references.add(thread, one, user_id=user)
        case "forget reference":
            return lambda each: each.references.remove(thread, one, user_id=user)
        case "say":
            message = Message(
                id=chance.choice(("m1", "m2")),
                role="user",
                content=some(chance, _WORDS, 6),
                created_at=day(chance.randint(1, 28)),
            )
            return lambda each: each.messages.add(thread, message, user_id=user)
        case "access":
            return lambda each: each.files.update_access_time(one, user)
        case "feedback":
            useful = chance.random() < 0.5
            return lambda each: each.record_feedback(one, user, useful=useful)

    async def invalidated(each: StoredService) -> None:
        each.invalidate(chance_pattern)

    chance_pattern = chance.choice(("*", "ann*", "*t1*"))
    return invalidated


def _file(chance: Random, name: str, user: str) -> File:
    return File(
        id=name,
        path=chance.choice(_PATHS),
        content=" ".join(some(chance, _WORDS, 6) for _ in range(chance.randint(1, 3))),
        owner_user_id=user,
        created_at=day(chance.randint(1, 28)),
    )


async def _read(each: StoredService, user: str, kind: str, query: str, thread: str) -> Any:
    match kind:
        case "build":
            return await each.build_prime_context(thread, query, user)
        case "search":
            return await each.files.search_content(query, user)
        case "keywords":
            return await each.files.search_by_keywords(query.split(), user)
        case "fuzzy":
            return await each.files.fuzzy_search(query, user)
        case "accessed":
            return await each.files.get_recently_accessed(user)
        case "references":
            return await each.references.find_by_thread_id(thread, user)
    return await each.messages.get_recent(thread, user)
