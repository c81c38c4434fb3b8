"""A program that is killed while it writes has done each call whole or not at all, and lost none."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

from biblicus_context import Corpus, Principal
from biblicus_context.systems.workspace import BlockStore
from biblicus_context.testing.memory_store import InMemoryStore
from biblicus_context.testing.store_samples import seen
from tests.ingest.build import written
from tests.systems.workspace.writer import ANN, CALLS, call, page

KILLS = 5
NOTES = {f"{name}.md": f"# {name}\n\nGreen tea wants 80 degrees." for name in "abcdef"}


def contents(store: BlockStore, pages: int) -> dict[str, Any]:
    """All that is in the workspaces: blocks, where they are, who reads them, links and edits."""
    found: dict[str, Any] = {}
    for name in ("acme", *(f"import{number}" for number in range(pages))):
        corpus: Corpus = store.corpus.for_principal(Principal(name, sees_all=True))
        records = corpus.get([each.id for each in corpus.documents()])
        found[name] = {
            each.id: (each.text, each.parent, each.position, each.readers, each.relations)
            for each in records
        }
    edits = seen(store.corpus.store, ANN.principal).activity(limit=1000)
    return found | {"edits": {each.document_id for each in edits}}


def killed(place: Path, first: int, folder: Path, seconds: float) -> int:
    """Kill a program that writes; how many of its calls had returned."""
    program = [sys.executable, "-m", "tests.systems.workspace.writer"]
    with subprocess.Popen(
        [*program, str(place), str(first), str(folder)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        said = [process.stdout.readline()]  # it has begun
        time.sleep(seconds)
        process.kill()
        return len([line for line in (*said, *process.stdout) if line.endswith("\n")])


def test_what_was_acknowledged_is_there_and_nothing_is_half_done(tmp_path: Path):
    chance, folder = Random(15), written(tmp_path / "notes", NOTES)
    done = 0
    undisturbed = BlockStore.open(InMemoryStore(), embedder=None)
    for _ in range(KILLS):
        returned = killed(tmp_path / "store", done, folder, chance.uniform(0.0, 0.2))
        for number in range(done, done + returned):
            asyncio.run(call(undisturbed, number, folder))
        done += returned
        pages = done // len(CALLS) + 2
        store = BlockStore.open(tmp_path / "store", embedder=None)
        now = contents(store, pages)
        assert store.corpus.store.check() == ()
        store.close()
        if now != contents(undisturbed, pages):
            asyncio.run(call(undisturbed, done, folder))  # killed before it could say so
            done += 1
            assert now == contents(undisturbed, pages), CALLS[(done - 1) % len(CALLS)]
    assert done > KILLS


def test_two_programs_that_write_at_once_lose_nothing(tmp_path: Path):
    folder = written(tmp_path / "notes", NOTES)
    program = [sys.executable, "-m", "tests.systems.workspace.writer", str(tmp_path / "store")]
    both = [
        subprocess.Popen([*program, str(first), str(folder)], stdout=subprocess.PIPE, text=True)
        for first in (0, 500 * len(CALLS))
    ]
    last = []
    for process in both:
        assert process.stdout is not None
        said = [process.stdout.readline() for _ in range(3 * len(CALLS))]
        process.kill()
        said += process.stdout
        last.append(int([line for line in said if line.endswith("\n")][-1]) // len(CALLS))
        process.stdout.close()
        process.wait()
    store = BlockStore.open(tmp_path / "store", embedder=None)
    assert store.corpus.store.check() == ()
    there = contents(store, 0)["acme"]
    for at in last:
        assert {block.id for block in page(at)} <= there.keys()
        assert f"p{at - 2}" not in there
    store.close()
