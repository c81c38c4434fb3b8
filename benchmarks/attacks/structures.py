"""Hostile texts in every field of every record: a context has the structure that harmless texts give it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Final, NamedTuple

from pydantic import ValidationError

from benchmarks.attacks import Extent
from benchmarks.attacks.hostile_texts import HARMLESS, HOSTILE
from benchmarks.attacks.structured.engine import engine
from benchmarks.attacks.structured.learning import learning
from benchmarks.attacks.structured.memory import memory
from benchmarks.attacks.structured.prime import prime
from benchmarks.attacks.structured.said import Refused, Said, Written
from benchmarks.attacks.structured.workspace import workspace
from benchmarks.targets import Target
from biblicus_context.errors import ContextError

STRUCTURES: Final = 4_000
SYSTEMS: Final[Mapping[str, Callable[[Said], Written]]] = {
    "memory": lambda said: asyncio.run(memory(said)),
    "prime": lambda said: asyncio.run(prime(said)),
    "workspace": lambda said: asyncio.run(workspace(said)),
    "learning": lambda said: asyncio.run(learning(said)),
    "engine": engine,
}


class Attempt(NamedTuple):
    """A hostile text in some fields of a system."""

    system: str
    texts: Mapping[str, str]

    def broken(self) -> str:
        """How the structure differs from the harmless one; empty if it does not, or if it is refused."""
        said = Said(self.texts)
        try:
            found = SYSTEMS[self.system](said)
        except (ContextError, ValidationError, Refused):
            return ""
        except Exception as error:  # whatever a hostile text sets off is a finding
            return f"{type(error).__name__}: {error}"[:300]
        for plain in HARMLESS:
            # Equal texts would be duplicates of each other.
            texts = {field: f"{plain} of {field}" for field in self.texts}
            usual = SYSTEMS[self.system](Said(texts))
            if usual.structure == found.structure:
                return ""
        return _difference(usual.structure, found.structure)


def attempts(chance: Random) -> Iterator[Attempt]:
    """One field and one text after the other, in any order; then several fields at once."""
    fields = {name: sorted(_fields(name)) for name in SYSTEMS}
    singly = [
        Attempt(name, {field: text})
        for name in SYSTEMS
        for field in fields[name]
        for text in HOSTILE
    ]
    chance.shuffle(singly)
    yield from singly
    while True:
        name = chance.choice([*SYSTEMS])
        some = chance.sample(fields[name], min(4, len(fields[name])))
        yield Attempt(name, {field: chance.choice(HOSTILE) for field in some})


def _fields(system: str) -> set[str]:
    said = Said({})
    SYSTEMS[system](said)
    return said.fields


def _difference(usual: tuple[str, ...], found: tuple[str, ...]) -> str:
    at = next((n for n, pair in enumerate(zip(usual, found, strict=False)) if len({*pair}) > 1), -1)
    return f"{len(found)} marks instead of {len(usual)}: {found[at]!r:.80} for {usual[at]!r:.80}"


def structures(extent: Extent) -> Iterator[Target]:
    """Every field with every text, and more at once, in full."""
    wanted, broken = extent.of(STRUCTURES), 0
    for attempt, _ in zip(attempts(Random(1)), range(wanted), strict=False):
        if found := attempt.broken():
            broken += 1
            if broken <= 20:
                print(f"  {attempt.system} {attempt.texts!r:.200}: {found}", flush=True)
    yield Target("attack: structures compared", wanted, "contexts")
    yield Target("attack: structures that a text changes", broken, "contexts", at_most=0)
