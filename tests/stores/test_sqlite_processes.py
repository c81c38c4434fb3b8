"""Several processes share a store, and any of them may be killed at any moment."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from biblicus_context.stores.sqlite import open_store
from biblicus_context.stores.sqlite.files.removal import require_alone
from biblicus_context.testing.store_samples import (
    ANN,
    INDEXER,
    entry,
    ids,
    query,
    search_text,
    search_vectors,
    seen,
    written,
)
from tests.orphans import outcome
from tests.stores.child import KEPT, PER_BATCH, documents

KILLS = int(os.environ.get("STORE_KILLS", "6"))
ROOT = Path(__file__).parents[2]


def started(job: str, folder: Path, name: str = "") -> subprocess.Popen[str]:
    """A process that has opened the store, and waits."""
    command = [sys.executable, "-m", "tests.stores.child", job, str(folder), name]
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n", process.communicate()[1]
    return process


def begin(*processes: subprocess.Popen[str]) -> None:
    """Let processes go on, all at once."""
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()


def test_a_killed_ingest_leaves_whole_batches_and_goes_on(tmp_path: Path):
    moments = random.Random(7)
    reached = 0
    for _ in range(KILLS):
        process = started("write on", tmp_path)
        begin(process)
        for _ in range(moments.randrange(1, 8)):
            assert process.stdout is not None
            process.stdout.readline()
        time.sleep(moments.uniform(0.0, 0.05))
        process.kill()
        _, errors = process.communicate()
        assert process.returncode == -9, errors
        with open_store(tmp_path) as store:
            version = seen(store, INDEXER).state.version
            assert version >= reached
            reached = version
            there = {
                each: f"{number}"
                for number in range(max(version - KEPT, 0) + 1, version + 1)
                for each in documents(number)
            }
            assert seen(store, INDEXER).fingerprints() == there
            found = search_text(store, INDEXER, ["common"], limit=10_000)
            assert {hit.place.document_id for hit in found} == there.keys()
            near = search_vectors(store, INDEXER, query(1, 1), limit=10_000)
            assert len(near) == 2 * len(there)
            assert store.check() == ()
    assert reached > KEPT


def test_processes_write_and_search_at_the_same_time(tmp_path: Path):
    with open_store(tmp_path):
        pass
    jobs = [
        started("search on", tmp_path),
        started("write some", tmp_path, "a"),
        started("search on", tmp_path),
        started("write some", tmp_path, "b"),
    ]
    begin(*jobs)
    for process in jobs:
        _, errors = outcome(process)
        assert process.returncode == 0, errors
    with open_store(tmp_path) as store:
        assert seen(store, ANN).state.version == 24
        assert seen(store, ANN).info().documents == 2 * KEPT * PER_BATCH
        assert store.check() == ()


STARTING = """
import sys
from pathlib import Path
from tests.stores.test_sqlite_processes import begin, started

process = started(sys.argv[1], Path(sys.argv[2]))
begin(process)
print(process.pid, flush=True)
sys.stdin.readline()
"""


@pytest.mark.parametrize("job", ["write on", "search on"])
def test_no_process_of_a_test_outlives_the_test_that_started_it(tmp_path: Path, job: str):
    parent = subprocess.Popen(
        [sys.executable, "-c", STARTING, job, str(tmp_path)],
        cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    os.kill(child, 0)
    parent.kill()
    parent.communicate()
    deadline = time.monotonic() + 60
    while there(child):
        assert time.monotonic() < deadline, "it goes on without its parent"
        time.sleep(0.01)


def there(process: int) -> bool:
    """Whether a process runs; one that nobody has asked about since its end does not."""
    try:
        return " Z " not in Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_takes_connections_of_its_own(tmp_path: Path):
    program = (
        "import os, sys\n"
        "from biblicus_context.testing.store_samples import *\n"
        "from biblicus_context.stores.sqlite import open_store\n"
        "store = open_store(sys.argv[1])\n"
        "written(store, entry('a', 'parent'))\n"
        "assert ids(search_text(store, ANN, ['parent'])) == ['a#0']\n"
        "if os.fork() == 0:\n"
        "    written(store, entry('b', 'child'))\n"
        "    assert ids(search_text(store, ANN, ['child'])) == ['b#0']\n"
        "    os._exit(0)\n"
        "assert os.wait()[1] == 0\n"
        "written(store, entry('c', 'parent'))\n"
        "assert ids(search_text(store, ANN, ['child', 'parent'])) == ['b#0', 'a#0', 'c#0']\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


WRITER = (
    "import sys\n"
    "from biblicus_context.testing.store_samples import *\n"
    "from biblicus_context.stores.sqlite import open_store\n"
    "with open_store(sys.argv[1]) as store:\n"
    "    written(store, entry(sys.argv[2], 'words'))\n"
)


def opened_once_more(path: Path) -> None:
    with open_store(path) as again:
        seen(again, ANN).info()


@pytest.mark.parametrize("look", [opened_once_more, require_alone], ids=["open", "remove"])
def test_a_process_that_looks_at_its_file_once_more_keeps_the_lock_of_its_connections(
    tmp_path: Path, look: Callable[[Path], object]
):
    with open_store(tmp_path) as service:
        written(service, entry("a", "words"))
        for name in ("b", "d"):
            look(tmp_path)
            # It closes its connection, and would take the log away if it took itself for the last.
            command = [sys.executable, "-c", WRITER, str(tmp_path), name]
            subprocess.run(command, cwd=ROOT, check=True)
            assert ids(search_text(service, ANN, ["words"]))[-1] == f"{name}#0"
            written(service, entry(f"{name}2", "words"))
    with open_store(tmp_path) as store:
        assert len(search_text(store, ANN, ["words"])) == 5


def test_two_stores_on_one_folder_see_each_others_batches(tmp_path: Path):
    with open_store(tmp_path) as one, open_store(tmp_path) as other:
        for number in range(3):
            written(one, entry(f"a{number}", "words", vectors=[[1, number]]))
            written(other, entry(f"b{number}", "words", vectors=[[1, number]]))
            assert search_text(one, ANN, ["words"]) == search_text(other, ANN, ["words"])
            assert len(search_vectors(one, ANN, query(1, 1))) == 2 * number + 2
        one.vacuum()
        assert len(search_text(other, ANN, ["words"])) == 6
        assert len(ids(search_vectors(other, ANN, query(1, 1)))) == 6
