"""The steps of an assembly, in running order, and the short loop that runs them."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from biblicus_context.assembly.draft import Draft
from biblicus_context.assembly.registries import Registries
from biblicus_context.assembly.steps.fit import fit
from biblicus_context.assembly.steps.gather import gather
from biblicus_context.assembly.steps.resolve import resolve
from biblicus_context.assembly.steps.share import share
from biblicus_context.base.effects import Effectful

Step: TypeAlias = Callable[[Draft, Registries], Effectful[Draft]]


def _pure(step: Callable[[Draft, Registries], Draft]) -> Step:
    """A step that needs nothing of the outside world, in the shape of those that do."""

    def effectful(draft: Draft, registries: Registries) -> Effectful[Draft]:
        yield from ()
        return step(draft, registries)

    return effectful


def _run(
    steps: tuple[tuple[str, Step], ...], draft: Draft, registries: Registries
) -> Effectful[Draft]:
    seconds: list[tuple[str, float]] = []
    for name, step in steps:
        began = time.perf_counter()
        draft = yield from step(draft, registries)
        seconds.append((name, time.perf_counter() - began))
    return draft._replace(seconds=tuple(seconds))


def assembled(draft: Draft, registries: Registries) -> Effectful[Draft]:
    """A draft taken through every step but the last, `place`, which makes it a result."""
    return _run(STEPS, draft, registries)


def nested(draft: Draft, registries: Registries) -> Effectful[Draft]:
    """A nested context is fitted as a pack of its outer context, so it goes as far as gathering."""
    return _run(STEPS[:3], draft, registries)


STEPS: tuple[tuple[str, Step], ...] = (
    ("resolve", _pure(resolve)),
    ("share", _pure(share)),
    ("gather", partial(gather, nested=nested)),
    ("fit", fit),
)
