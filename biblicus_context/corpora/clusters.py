"""What documents have in common: clusters of their vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from biblicus_context.ingest.records import Record

if TYPE_CHECKING:
    from biblicus_context.base.arrays import Integers, Rows
    from biblicus_context.embedders import Embedder

_ROUNDS: Final = 20
_LEAST: Final = 2
"""Members that make a cluster."""
_ONE_CLUSTER: Final = 0.1
"""The separation below which all documents are one cluster."""


class Cluster(NamedTuple):
    """Documents that say something similar."""

    members: tuple[Record, ...]
    text: str
    """Of the document nearest to the centre."""
    likeness: float
    """The cosine of that document and the centre."""


def record_text(record: Record) -> str:
    """The text of a record, or that of its parts."""
    return record.text or "\n".join(part.text for part in record.parts)


def clusters_of(
    records: Sequence[Record],
    embedder: Embedder,
    most: int,
    text_of: Callable[[Record], str] = record_text,
) -> list[Cluster]:
    """Up to `most` clusters of at least two documents, the largest first.

    Spherical k-means from the documents that are farthest apart: the same documents give the same
    clusters, in whatever order they come. There are as many as separate the documents best.
    """
    said = sorted(
        ((each, text) for each in records if (text := text_of(each))), key=lambda both: both[0].id
    )
    if len(said) < _LEAST or most < 1:
        return []
    import numpy as np  # optional

    rows = embedder.embed([text for _, text in said])
    tries = [_divided(rows, count) for count in range(1, min(most, len(rows)) + 1)]
    owners, centres = max(tries, key=lambda tried: _separation(rows, *tried))
    found = [_cluster(said, rows, np.flatnonzero(owners == n), c) for n, c in enumerate(centres)]
    return sorted(filter(None, found), key=lambda each: -len(each.members))


def _divided(rows: Rows, count: int) -> tuple[Integers, Rows]:
    """The cluster of each row, and the centres."""
    import numpy as np

    centres = rows[_far_apart(rows, count)]
    owners: Integers = np.zeros(len(rows), dtype=np.int64)
    for _ in range(_ROUNDS):
        before, owners = owners, (rows @ centres.T).argmax(axis=1)
        sums = np.stack([rows[owners == number].sum(axis=0) for number in range(len(centres))])
        centres = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)
        if (before == owners).all() and owners.any():
            break
    return owners, centres


def _separation(rows: Rows, owners: Integers, centres: Rows) -> float:
    """How much nearer the rows are to their own centre than to the next one, from -1 to 1; a row that is
    alone says nothing."""
    import numpy as np

    if len(centres) < _LEAST:
        return _ONE_CLUSTER
    far = 1 - rows @ centres.T
    everyone = np.arange(len(rows))
    own = far[everyone, owners]
    far[everyone, owners] = np.inf
    other = far.min(axis=1)
    apart = (other - own) / np.maximum(np.maximum(own, other), 1e-9)
    alone = np.bincount(owners, minlength=len(centres))[owners] < _LEAST
    return float(np.where(alone, 0, apart).mean())


def _far_apart(rows: Rows, count: int) -> list[int]:
    """The first row, and then each time the one that is least like those before."""
    chosen, nearest = [0], rows @ rows[0]
    while len(chosen) < count:
        chosen.append(int(nearest.argmin()))
        nearest = nearest.clip(min=rows @ rows[chosen[-1]])
    return chosen


def _cluster(
    said: Sequence[tuple[Record, str]], rows: Rows, members: Integers, centre: Rows
) -> Cluster | None:
    if len(members) < _LEAST:
        return None
    alike = rows[members] @ centre
    best = int(alike.argmax())
    known = [said[int(number)] for number in members]
    return Cluster(tuple(each for each, _ in known), known[best][1], float(alike[best]))
