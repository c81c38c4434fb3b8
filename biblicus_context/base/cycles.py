"""Cycles among names that use other names: contexts that insert contexts, compactors in compactors."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import TypeVar

N = TypeVar("N", bound=Hashable)


def find_cycles(uses: Mapping[N, Iterable[N]]) -> Iterator[list[N]]:
    """The names once around each cycle; the last one uses the first. Names without an entry use none.

    Depth first in the order of the mapping, on a stack of its own: a chain of many thousands of
    names must not exhaust Python's. Each use is followed once, so the search takes linear time and
    reports at least one cycle of every group of names that use each other.

    >>> list(find_cycles({"a": ["b"], "b": ["c", "b"], "c": ["a"]}))
    [['a', 'b', 'c'], ['b']]
    """
    finished: set[N] = set()
    for start in uses:
        if start in finished:
            continue
        path, position, ahead = [start], {start: 0}, [iter(dict.fromkeys(uses[start]))]
        while path:
            name = next(ahead[-1], None)
            if name is None:
                finished.add(path[-1])
                del position[path.pop()]
                ahead.pop()
            elif name in position:
                yield path[position[name] :]
            elif name in uses and name not in finished:
                position[name] = len(path)
                path.append(name)
                ahead.append(iter(dict.fromkeys(uses[name])))
