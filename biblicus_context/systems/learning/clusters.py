"""Clusters of vectors: what several experiences have in common."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

_ROUNDS: Final = 20
_LEAST: Final = 2
"""Members that make a cluster."""


class Cluster(NamedTuple):
    """Rows that are close to each other."""

    members: tuple[int, ...]
    middle: int
    """The row nearest to the centre."""
    similarity: float
    """Of that row to the centre."""


def clusters_of(vectors: Any, most: int) -> Iterator[Cluster]:
    """Up to `most` clusters by spherical k-means, largest first; the same rows give the same clusters."""
    import numpy as np  # optional

    if not len(vectors):
        return
    centres = [vectors[0]]
    for _ in range(min(most, len(vectors)) - 1):
        # The row farthest from all centres so far.
        centres.append(vectors[np.argmin((vectors @ np.array(centres).T).max(axis=1))])
    near = np.array(centres)
    for _ in range(_ROUNDS):
        owners = (vectors @ near.T).argmax(axis=1)
        sums = np.array([vectors[owners == n].sum(axis=0) for n in range(len(near))])
        near = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)
    groups = [np.flatnonzero(owners == n) for n in range(len(near))]
    for number in sorted(range(len(near)), key=lambda n: (-len(groups[n]), n)):
        members = groups[number]
        if len(members) >= _LEAST:
            alike = vectors[members] @ near[number]
            best = int(alike.argmax())
            yield Cluster(tuple(map(int, members)), int(members[best]), float(alike[best]))
