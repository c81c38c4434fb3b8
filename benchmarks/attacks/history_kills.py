"""An ingest of a git history, killed again and again: no commit is lost, torn or there twice."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from benchmarks.attacks import Extent
from benchmarks.attacks.killing import kill
from benchmarks.git_history import made
from benchmarks.targets import Target
from biblicus_context import Principal
from biblicus_context.embedders import FunctionEmbedder
from biblicus_context.ingest.git import ingest_history
from biblicus_context.stores.sqlite import open_store
from biblicus_context.testing.store_samples import seen
from biblicus_context.text.counters import Counters

COMMITS: Final = 20_000
KILLS: Final = 40
_WHO: Final = Principal("local", sees_all=True)
_EMBEDDER: Final = FunctionEmbedder(
    lambda texts: [[1.0, float(len(text) % 97)] for text in texts], model="tiny", dimensions=2
)


class Outcome(NamedTuple):
    """What kills did to an index of a history."""

    kills: int
    """Processes that were killed before they were done."""
    partly: int
    """Kills after which some commits were there, and not all."""
    lost: int
    """Commits that were there before a kill, and not after it."""
    torn: int
    """Commits that are not as in an undisturbed index; stores with damage."""
    differs: bool
    """Whether the last ingest ended with another index than an undisturbed one."""


def history_kills(extent: Extent) -> Iterator[Target]:
    """Twenty thousand commits, and forty kills, in full."""
    found = killed(extent.of(COMMITS), extent.of(KILLS))
    yield Target("attack: ingests of a history killed", found.kills, "kills")
    yield Target("attack: of these, in the middle", found.partly, "kills")
    yield Target("attack: commits lost by kills", found.lost, "commits", at_most=0)
    yield Target("attack: commits torn by kills", found.torn, "commits", at_most=0)
    yield Target("attack: histories that end otherwise", found.differs, "indexes", at_most=0)


def killed(commits: int, times: int, seed: int = 11) -> Outcome:
    """Index a history in processes that are killed; the index is removed when it is complete."""
    chance, total = Random(seed), [0, 0, 0, 0]
    with tempfile.TemporaryDirectory() as place:
        root, index = made(Path(place) / "repository", commits), Path(place) / "index"
        began = time.perf_counter()
        _ingest(root, Path(place) / "undisturbed")
        whole, usual = _commits(Path(place) / "undisturbed"), time.perf_counter() - began
        known: dict[str, object] = {}
        number = 0
        for _ in range(times):
            if len(known) == commits:
                number, known = number + 1, {}
            index = Path(place) / f"index {number}"
            total[0] += kill(_ingest, root, index, seconds=chance.uniform(0, usual / 2))
            now = _commits(index)
            total[1] += 0 < len(now) < commits
            total[2] += len(known.keys() - now.keys())
            total[3] += sum(now[name] != whole.get(name) for name in now)
            known = now
        _ingest(root, index)
        return Outcome(*total, _commits(index) != whole)


def _ingest(root: Path, index: Path) -> None:
    with open_store(index) as store:
        counter = Counters().get("whitespace")
        ingest_history(store, _WHO, root, counter=counter, embedder=_EMBEDDER)


def _commits(index: Path) -> dict[str, object]:
    """Each commit with its blocks and vectors; a damaged store has an unknown one."""
    with open_store(index) as store:
        found = dict[str, object].fromkeys(store.check())
        for sha, said in seen(store, _WHO).fingerprints().items():
            blocks = seen(store, _WHO).blocks_of([sha])
            vectors = seen(store, _WHO).vectors(_EMBEDDER.model, [block.id for block in blocks])
            found[sha] = said, blocks, dict(vectors), seen(store, _WHO).documents([sha])[0].metadata
        return found
