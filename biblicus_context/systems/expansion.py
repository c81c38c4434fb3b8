"""Follows relations from what was found, step by step."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeVar

T = TypeVar("T")
_MOST: Final = 100
"""What is reached in all: a memory that everything refers to must not fill a context."""


async def expanded(
    starts: Sequence[str],
    ask: Callable[[str], Awaitable[Sequence[T]]],
    id_of: Callable[[T], str],
    depth: int,
) -> list[list[tuple[T, int]]]:
    """For each start what relations lead to, with the number of steps; each thing comes once."""
    seen, ends = {*starts}, [*enumerate(starts)]
    found: list[list[tuple[T, int]]] = [[] for _ in starts]
    for step in range(1, depth + 1):
        answers = await asyncio.gather(*(ask(end) for _, end in ends))
        pairs, ends = zip(ends, answers, strict=True), []
        for (number, _), answer in pairs:
            for each in answer:
                name = id_of(each)
                if name not in seen and len(seen) < len(starts) + _MOST:
                    seen.add(name)
                    found[number].append((each, step))
                    ends.append((number, name))
    return found
