"""Relations: followed from document to document, and written."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from biblicus_context.stores.results import Direction, Related
from biblicus_context.stores.model import Relation
from biblicus_context.stores.sqlite.read.reading import ALWAYS, Reading, Sql, all_of, among

_FAR_END: Final = {
    "out": "SELECT d.id, r.source, r.target, r.type, r.weight"
    " FROM relations r JOIN documents d ON d.id = r.target",
    "in": "SELECT d.id, r.source, r.target, r.type, r.weight"
    " FROM relations r JOIN documents d ON d.id = r.source",
}
_NEAR_END: Final = {"out": "r.source", "in": "r.target"}
_ENDS: Final[dict[Direction, tuple[str, ...]]] = {
    "out": ("out",),
    "in": ("in",),
    "both": ("out", "in"),
}


@dataclass(frozen=True, slots=True)
class Way:
    """Which relations to follow, and how far."""

    types: frozenset[str]
    direction: Direction
    depth: int
    limit: int


def related(reading: Reading, start: Sequence[str], way: Way) -> tuple[Related, ...]:
    """Documents around others, nearest first, over documents that may be seen."""
    frontier = _seen(reading, start)
    reached = set(frontier)
    found: list[Related] = []
    for distance in range(1, way.depth + 1):
        if not frontier or len(found) >= way.limit:
            break
        nearest: dict[str, Relation] = {}
        for other, relation in _steps(reading, frontier, way):
            if other not in reached:
                nearest.setdefault(other, relation)
        found += [Related(other, relation, distance) for other, relation in nearest.items()]
        frontier = [*nearest]
        reached.update(frontier)
    return tuple(found[: way.limit])


def of(reading: Reading, sources: Sequence[str]) -> tuple[Relation, ...]:
    """Every relation between documents that may be seen, from these."""
    steps = _steps(reading, _seen(reading, sources), Way(frozenset(), "out", depth=1, limit=0))
    found = (relation for _, relation in steps)
    return tuple(sorted(found, key=lambda each: (each.source, each.target, each.type)))


def count(reading: Reading) -> int:
    """How many relations stand between documents that may be seen."""
    seen = reading.visible_ids
    sources = Sql(f"r.source IN {seen.text}", seen.values)
    statement = "SELECT count(*) FROM relations r JOIN documents d ON d.id = r.target"
    return int(reading.rows(statement, all_of(_alive(reading), sources)).fetchone()[0])


def _seen(reading: Reading, ids: Sequence[str]) -> list[str]:
    found = reading.rows("SELECT d.id FROM documents d", among("d.id", ids))
    return [each for (each,) in found]


def _steps(reading: Reading, frontier: Collection[str], way: Way) -> list[tuple[str, Relation]]:
    """Every relation from the frontier to a document that may be seen, the heaviest first."""
    typed = among("r.type", sorted(way.types)) if way.types else ALWAYS
    rows: list[Any] = []
    for end in _ENDS[way.direction]:
        where = all_of(_alive(reading), among(_NEAR_END[end], frontier), typed)
        rows += reading.rows(_FAR_END[end], where).fetchall()
    steps = [(other, Relation(*relation)) for other, *relation in rows]
    return sorted(steps, key=_heaviest_first)


def _heaviest_first(step: tuple[str, Relation]) -> tuple[float, str, str, str]:
    other, relation = step
    return -relation.weight, other, relation.type, relation.source


def _alive(reading: Reading) -> Sql:
    return Sql("r.added <= ? AND (r.removed IS NULL OR r.removed > ?)", (reading.at, reading.at))


def write(
    reading: Reading, relate: Iterable[Relation], unrelate: Iterable[Relation], version: int
) -> None:
    """End relations and begin others."""
    begun = {(each.source, each.target, each.type): each for each in relate}
    ended = {(each.source, each.target, each.type) for each in unrelate} | begun.keys()
    reading.connection.executemany(
        "UPDATE relations SET removed = ? WHERE source = ? AND target = ? AND type = ?"
        " AND removed IS NULL",
        ((version, *key) for key in sorted(ended)),
    )
    reading.connection.executemany(
        "INSERT INTO relations (added, source, target, type, weight) VALUES (?, ?, ?, ?, ?)",
        ((version, *key, each.weight) for key, each in begun.items()),
    )


def forget(reading: Reading, documents: Collection[str], version: int) -> None:
    """End all relations of these documents."""
    reading.connection.execute(
        "UPDATE relations SET removed = ? WHERE removed IS NULL"
        " AND (source IN (SELECT value FROM json_each(?)) OR target IN (SELECT value FROM json_each(?)))",
        (version, json.dumps([*documents]), json.dumps([*documents])),
    )
