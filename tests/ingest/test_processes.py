"""Ingests may be killed at any moment, and two may run at once."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from biblicus_context.stores import Store
from biblicus_context.stores.sqlite import open_store
from biblicus_context.testing.store_samples import seen
from tests.ingest.build import ANN, blocks, run, written
from tests.orphans import outcome

ROOT = Path(__file__).parents[2]
FILES = {
    f"{n:03}.md": f"# Part {n}\n\nwords of {n}\n\n# More\n\n" + "more " * 50 for n in range(160)
}
KILLS = 4


def started(store: Path, folder: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.ingest.child", str(store), str(folder)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    return subprocess.Popen(command, cwd=ROOT, text=True, **pipes)


def everything(store: Store) -> list[object]:
    found = blocks(store)
    vectors = seen(store, ANN).vectors("tiny", [block.id for block in found])
    return [(block, vectors[block.id]) for block in found]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("files"), FILES)


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory, folder: Path) -> list[object]:
    with open_store(tmp_path_factory.mktemp("whole") / "store") as store:
        run(store, folder)
        return everything(store)


def test_a_killed_ingest_is_finished_by_the_next(tmp_path: Path, folder: Path, uninterrupted):
    dice, reached = random.Random(3), []
    for _ in range(KILLS):
        process = started(tmp_path / "store", folder)
        assert process.stdout is not None
        for _ in range(dice.randrange(20, 120)):
            process.stdout.readline()
        process.kill()
        process.communicate()
        with open_store(tmp_path / "store") as store:
            assert not store.check()
            names = seen(store, ANN).fingerprints()
            reached.append(len(names))
            assert all(len(seen(store, ANN).blocks_of([name])) >= 1 for name in names)
    assert reached == sorted(reached)
    assert any(0 < count < len(FILES) for count in reached), "killed in the middle"
    with open_store(tmp_path / "store") as store:
        summary = run(store, folder)
        assert summary.unchanged == reached[-1]
        assert everything(store) == uninterrupted


def test_two_ingests_at_once_end_as_one(tmp_path: Path, folder: Path, uninterrupted):
    both = [started(tmp_path / "store", folder) for _ in range(2)]
    for process in both:
        outcome(process)
    assert [process.returncode for process in both] == [0, 0]
    with open_store(tmp_path / "store") as store:
        assert not store.check()
        assert everything(store) == uninterrupted
        assert run(store, folder).unchanged == len(FILES)
