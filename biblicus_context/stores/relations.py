"""Documents that relations lead to, step by step."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from biblicus_context.stores.model import Relation
from biblicus_context.stores.results import Direction, Related


def nearest_first(
    starts: Sequence[str],
    direction: Direction,
    depth: int,
    limit: int,
    relations: Callable[[Sequence[str]], Iterable[Relation]],
) -> tuple[Related, ...]:
    """What is within `depth` relations; `relations` returns those of many documents at once."""
    frontier, reached = [*starts], {*starts}
    found: list[Related] = []
    for distance in range(1, depth + 1):
        if not frontier or len(found) >= limit:
            break
        nearest: dict[str, Relation] = {}
        steps = _steps(relations(frontier), frontier, direction)
        for other, relation in sorted(steps, key=_heaviest_first):
            if other not in reached:
                nearest.setdefault(other, relation)
        found += [Related(other, relation, distance) for other, relation in nearest.items()]
        frontier = [*nearest]
        reached.update(frontier)
    return tuple(found[:limit])


def _steps(
    relations: Iterable[Relation], frontier: Collection[str], direction: Direction
) -> Iterable[tuple[str, Relation]]:
    """Each relation with the document at its other end; both ends may be in the frontier."""
    near = frozenset(frontier)
    for each in relations:
        if direction != "in" and each.source in near:
            yield each.target, each
        if direction != "out" and each.target in near:
            yield each.source, each


def _heaviest_first(step: tuple[str, Relation]) -> tuple[float, str, str, str]:
    other, relation = step
    return -relation.weight, other, relation.type, relation.source
