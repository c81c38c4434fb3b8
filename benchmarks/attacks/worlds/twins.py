"""Two systems that are asked the same: one is shared by all tenants, the other is the asker's own."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from random import Random
from typing import Final, Generic, Protocol, TypeVar

from pydantic import ValidationError
from pydantic_core import to_jsonable_python

from biblicus_context.errors import ContextError

S = TypeVar("S")
_DIFFERENT: Final = {"seconds", "timestamp", "now", "p50_seconds", "p95_seconds", "steps"}
"""Fields that differ from one call to the next."""
_NEAR: Final = 1e-4
"""Scores that depend on the time of the call."""


class World(Protocol):
    """Tenants with a system of all of them; each step is a write, or a read that is compared."""

    tally: Tally

    async def step(self, chance: Random) -> None: ...
    def close(self) -> None: ...


@dataclass
class Tally:
    """How many answers were compared, and which of them differ."""

    compared: int = 0
    different: list[str] = field(default_factory=list)

    def compare(self, what: str, shared: object, alone: object) -> None:
        """Count two answers, which must be the same."""
        self.compared += 1
        if found := difference(plain(shared), plain(alone)):
            self.different.append(f"{what:.600} {found}")


@dataclass
class Twins(Generic[S]):
    """The system that tenants share, as each of them uses it, and the system that each has alone."""

    shared: Mapping[object, S]
    alone: Mapping[object, S]
    tally: Tally = field(default_factory=Tally)
    open: ExitStack = field(default_factory=ExitStack)

    @property
    def tenants(self) -> list[object]:
        """Everybody who uses the shared system."""
        return [*self.alone]

    async def do(self, tenant: object, what: str, call: Callable[[S], Awaitable[object]]) -> None:
        """Let one tenant do something, and compare what comes of it."""
        shared = await outcome(call, self.shared[tenant])
        self.tally.compare(f"{tenant}: {what}", shared, await outcome(call, self.alone[tenant]))

    async def ask(self, what: str, call: Callable[[S, object], Awaitable[object]]) -> None:
        """Let all tenants ask the same at once: what one is answered, another could get."""
        answers = await asyncio.gather(
            *(
                outcome(lambda each, who=who: call(each, who), self.shared[who])
                for who in self.tenants
            )
        )
        for who, answer in zip(self.tenants, answers, strict=True):
            alone = await outcome(lambda each, who=who: call(each, who), self.alone[who])
            self.tally.compare(f"{who}: {what}", answer, alone)

    def close(self) -> None:
        """Close all systems."""
        self.open.close()


async def outcome(call: Callable[[S], Awaitable[object]], system: S) -> object:
    """The result of a call, or its error as text."""
    try:
        return await call(system)
    except (ContextError, ValidationError, ValueError) as error:
        return f"{type(error).__name__}: {error}"


def plain(value: object) -> object:
    """An answer as JSON, without what differs from one call to the next."""
    return _without(to_jsonable_python(value, fallback=repr, serialize_unknown=True))


def _without(value: object) -> object:
    if isinstance(value, dict):
        return {name: _without(each) for name, each in value.items() if name not in _DIFFERENT}
    return [*map(_without, value)] if isinstance(value, list) else value


def difference(one: object, other: object, at: str = "") -> str:
    """Where two answers first differ, scores that fall as time passes aside; empty if nowhere."""
    if isinstance(one, Mapping) and isinstance(other, Mapping) and one.keys() == other.keys():
        found = (difference(one[key], other[key], f"{at}.{key}") for key in one)
        return next(filter(None, found), "")
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = enumerate(zip(one, other, strict=True))
        return next(filter(None, (difference(*pair, f"{at}[{n}]") for n, pair in pairs)), "")
    if isinstance(one, float) and isinstance(other, float):
        same = math.isclose(one, other, rel_tol=_NEAR, abs_tol=_NEAR)
    else:
        same = one == other
    return "" if same else f"{at}: {one!r:.300} instead of {other!r:.300}"


async def steps(world: World, chance: Random, number: int) -> Tally:
    """So many steps in a world, which is closed after them."""
    try:
        for _ in range(number):
            await world.step(chance)
    finally:
        world.close()
    return world.tally


def some(chance: Random, values: Sequence[str], most: int = 4) -> str:
    """A few of these words."""
    return " ".join(chance.choices(values, k=chance.randint(1, most)))
