"""Follows arrows from some things to others, step by step."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


async def breadth_first(
    starts: Sequence[str],
    ask: Callable[[Sequence[str]], Awaitable[Sequence[Sequence[T]]]],
    id_of: Callable[[T], str],
    depth: int,
    *,
    most: int = 100,
) -> list[list[tuple[T, int]]]:
    """For each start what arrows lead to, with the number of steps; each thing comes once.

    `ask` answers for each of many ids what one arrow leads to; all of one step are asked at once.
    `most` limits what is reached in all, as everything may refer to one thing.

    >>> near = {"a": ["b"], "b": ["a", "c"]}
    >>> import asyncio
    >>> async def ask(names): return [near.get(name, []) for name in names]
    >>> asyncio.run(breadth_first(["a"], ask, str, depth=2))
    [[('b', 1), ('c', 2)]]
    """
    seen, ends = {*starts}, [*enumerate(starts)]
    found: list[list[tuple[T, int]]] = [[] for _ in starts]
    for step in range(1, depth + 1):
        answers = await ask([end for _, end in ends]) if ends else []
        pairs, ends = zip(ends, answers, strict=True), []
        for (number, _), answer in pairs:
            for each in answer:
                name = id_of(each)
                if name not in seen and len(seen) < len(starts) + most:
                    seen.add(name)
                    found[number].append((each, step))
                    ends.append((number, name))
    return found
