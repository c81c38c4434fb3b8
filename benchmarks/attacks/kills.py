"""Ingests killed at any moment: no document is lost, and the next ingest ends as an undisturbed one."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from benchmarks.attacks import Extent
from benchmarks.attacks.killing import kill
from benchmarks.targets import Target
from biblicus_context import Corpus, Principal
from biblicus_context.embedders import FunctionEmbedder
from biblicus_context.stores import StoreError
from biblicus_context.testing.store_samples import seen

KILLS: Final = 200
_WHO: Final = Principal("local", sees_all=True)
_FILES: Final = 40
_CHANGED: Final = 12
"""Files that change between two ingests."""
_EMBEDDER: Final = FunctionEmbedder(
    lambda texts: [[1.0, float(len(text) % 97)] for text in texts], model="tiny", dimensions=2
)


class Outcome(NamedTuple):
    """What kills did to an index."""

    kills: int
    """Processes that were killed before they were done."""
    lost: int
    """Documents that were in the index before or were reported as written, and are not there."""
    torn: int
    """Documents that are neither as their file was, nor as it is."""
    damaged: int
    """Times that a check or an open found damage."""
    differences: int
    """Whether the last ingest ended with another index than an undisturbed one."""


def kills(extent: Extent) -> Iterator[Target]:
    """Two hundred kills in full."""
    found = killed(extent.of(KILLS))
    yield Target("attack: ingests killed", found.kills, "kills")
    yield Target("attack: documents lost by kills", found.lost, "documents", at_most=0)
    yield Target("attack: documents torn by kills", found.torn, "documents", at_most=0)
    yield Target("attack: indexes damaged by kills", found.damaged, "indexes", at_most=0)
    yield Target("attack: ingests that end otherwise", found.differences, "indexes", at_most=0)


def killed(times: int, seed: int = 5) -> Outcome:
    """Change files and kill the ingest of them, again and again."""
    chance, total = Random(seed), [0, 0, 0, 0]
    with tempfile.TemporaryDirectory() as place:
        files, index = Path(place) / "files", Path(place) / "index"
        files.mkdir()
        _change(files, chance, 2 * _FILES)
        _ingest(files, index)
        usual = _seconds_of_a_change(files, index, chance)
        for attempt in range(10 * times):
            if total[0] >= times:
                break
            before = _contents(index)
            _change(files, chance, _CHANGED)
            total[0] += kill(_ingest, files, index, seconds=chance.uniform(0, usual))
            try:
                after = _contents(index)
            except StoreError:
                total[3] += 1
                continue
            for name, was in before.items():
                now = _text(files / name)
                total[1] += now is not None and name not in after
                total[2] += name in after and after[name] not in (was, now)
            if attempt % 5 == 0:
                _ingest(files, index)
        _ingest(files, index)
        _ingest(files, Path(place) / "undisturbed")
        differences = _contents(index) != _contents(Path(place) / "undisturbed")
    return Outcome(*total, differences)


def _seconds_of_a_change(files: Path, index: Path, chance: Random) -> float:
    _change(files, chance, _CHANGED)
    began = time.perf_counter()
    kill(_ingest, files, index, seconds=60)
    return time.perf_counter() - began


def _corpus(files: Path, index: Path) -> Corpus:
    return Corpus.open(files, store=index, embedder=_EMBEDDER, principal=_WHO)


def _ingest(files: Path, index: Path) -> None:
    with _corpus(files, index) as corpus:
        corpus.ingest()


def _contents(index: Path) -> dict[str, str]:
    """The text of every document, as blocks and vectors have it; a damaged index is an error."""
    with Corpus.open(index.parent / "files", store=index, principal=_WHO) as corpus:
        store = corpus.store
        if problems := store.check():
            raise StoreError(problems[0])
        found = {}
        for document in seen(store, _WHO).list_documents(limit=1_000):
            blocks = seen(store, _WHO).blocks_of([document.id])
            vectors = seen(store, _WHO).vectors(_EMBEDDER.model, [block.id for block in blocks])
            if len(vectors) == len(blocks):
                found[document.path or ""] = "\n\n".join(block.text for block in blocks)
        return found


def _text(file: Path) -> str | None:
    try:
        return file.read_text().strip()
    except FileNotFoundError:
        return None


def _change(files: Path, chance: Random, times: int) -> None:
    """Write, rewrite and remove some files."""
    for _ in range(times):
        file = files / f"{chance.randrange(_FILES)}.md"
        if file.exists() and chance.random() < 0.2:
            file.unlink()
        else:
            said = " ".join(f"word{chance.randrange(1_000)}" for _ in range(200))
            file.write_text(f"# {chance.randrange(10**9)}\n\n{said}\n")
