"""Relations between documents: read, counted and written."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from itertools import starmap
from typing import Final

from biblicus_context.stores.model import Relation
from biblicus_context.stores.results import Direction
from biblicus_context.stores.sql import ALWAYS, Sql, all_of
from biblicus_context.stores.sqlite.read.reading import WorkspaceReading, among

# The join with the document at the far end is what hides a relation to a hidden document:
# `rows` adds the condition on `d`. The near end is looked up first, for the same reason.
_OUT: Final = (
    "SELECT r.source, r.target, r.type, r.weight"
    " FROM relations r JOIN documents d ON d.id = r.target"
)
_IN: Final = (
    "SELECT r.source, r.target, r.type, r.weight"
    " FROM relations r JOIN documents d ON d.id = r.source"
)
_BY_DIRECTION: Final[dict[Direction, tuple[tuple[str, str], ...]]] = {
    "out": ((_OUT, "r.source"),),
    "in": ((_IN, "r.target"),),
    "both": ((_OUT, "r.source"), (_IN, "r.target")),
}


def relations(
    reading: WorkspaceReading, ids: Sequence[str], types: Collection[str], direction: Direction
) -> tuple[Relation, ...]:
    """Relations at these documents whose two ends can be seen."""
    near = [each for (each,) in reading.rows("SELECT d.id FROM documents d", among("d.id", ids))]
    typed = among("r.type", sorted(types)) if types else ALWAYS
    found: set[Relation] = set()  # one between two of these documents is found from both its ends
    for select, near_end in _BY_DIRECTION[direction]:
        where = all_of(_alive(reading), among(near_end, near), typed)
        found.update(starmap(Relation, reading.rows(select, where)))
    return tuple(sorted(found, key=lambda each: (each.source, each.target, each.type)))


def count(reading: WorkspaceReading) -> int:
    """How many relations there are between documents that can be seen."""
    visible = reading.visible_ids
    sources = Sql(f"r.source IN {visible.text}", visible.values)
    statement = "SELECT count(*) FROM relations r JOIN documents d ON d.id = r.target"
    return int(reading.rows(statement, all_of(_alive(reading), sources)).fetchone()[0])


def _alive(reading: WorkspaceReading) -> Sql:
    return Sql("r.added <= ? AND (r.removed IS NULL OR r.removed > ?)", (reading.at, reading.at))


def write(
    reading: WorkspaceReading,
    relate: Iterable[Relation],
    unrelate: Iterable[Relation],
    version: int,
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


def forget(reading: WorkspaceReading, documents: Collection[str], version: int) -> None:
    """End all relations of these documents."""
    reading.connection.execute(
        "UPDATE relations SET removed = ? WHERE removed IS NULL"
        " AND (source IN (SELECT value FROM json_each(?)) OR target IN (SELECT value FROM json_each(?)))",
        (version, json.dumps([*documents]), json.dumps([*documents])),
    )
