"""What is removed or replaced is in no file of the store once the call has returned, or the call says when."""

from __future__ import annotations

import json
import random
import signal
import sqlite3
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from biblicus_context.stores import (
    Batch,
    Entry,
    Principal,
    StillReadError,
    Store,
    VersionGoneError,
)
from biblicus_context.stores.sqlite import open_store
from biblicus_context.stores.sqlite.files.erasure import leftovers
from biblicus_context.testing.store_samples import (
    ANN,
    INDEXER,
    day,
    entry,
    query,
    relate,
    search_text,
    search_vectors,
    seen,
    written,
)
from tests.stores.test_sqlite_files import database

SECRET = "xylophonist"
ROW = [0.625, -0.3125, 0.15625, 7.75]


def traces(folder: Path, *needles: str | bytes) -> list[str]:
    """The files of a folder that hold one of these, also as JSON escapes it."""
    wanted = [each if isinstance(each, bytes) else each.encode() for each in needles]
    wanted += [json.dumps(each)[1:-1].encode() for each in needles if isinstance(each, str)]
    return sorted(
        {
            f"{path.name}: {each!r}"
            for path in folder.rglob("*")
            if path.is_file()
            for each in wanted
            if each in path.read_bytes()
        }
    )


def row_bytes(row: list[float]) -> bytes:
    return struct.pack(f"<{len(row)}f", *row)


def secret(id_: str = "secret") -> Entry:
    fields: dict[str, Any] = {
        "title": f"{SECRET} title",
        "tags": (f"tag-{SECRET}",),
        "metadata": {f"key-{SECRET}": f"Grüße {SECRET}"},
        "path": f"notes/{SECRET}.md",
    }
    return entry(id_, f"{SECRET} played Grüße", vectors=[ROW], **fields)


def around(store: Store) -> None:
    """What is kept, before and after."""
    written(store, *(entry(f"k{n}", f"kept words {n}", vectors=[[1, 0, 0, n]]) for n in range(9)))


REMOVALS = {
    "removed": lambda store: store.write(ANN, Batch(remove=("secret",))),
    "replaced": lambda store: written(store, entry("secret", "another text", vectors=[[1, 0, 0, 0]])),
    "cleared": lambda store: store.clear(INDEXER),
}  # fmt: skip


@pytest.mark.parametrize("removal", REMOVALS)
def test_no_byte_is_left_when_the_call_returns(tmp_path: Path, removal: str):
    with open_store(tmp_path) as store:
        around(store)
        written(store, secret())
        store.record_usage(ANN, used=["secret#0"], when=day(1))
        store.record_activity(ANN, "secret", "view", day(1))
        store.write(ANN, relate(("secret", f"rel-{SECRET}", "k1")))
        store.prepare(ANN)
        search_text(store, ANN, [SECRET])
        needles = [SECRET, SECRET[:8], "xylophon", "Grüße", "gruss", row_bytes(ROW)]
        unit = [each / sum(n * n for n in ROW) ** 0.5 for each in ROW]
        assert traces(tmp_path, *needles)
        REMOVALS[removal](store)
        if removal == "replaced":
            store.write(ANN, Batch(unrelate=relate(("secret", f"rel-{SECRET}", "k1")).relate))
        assert traces(tmp_path, *needles, row_bytes(unit)[:8]) == []
        assert seen(store, ANN).state.remains_until is None
        assert store.check() == ()
    assert traces(tmp_path, *needles) == []


def test_an_id_leaves_with_its_document(tmp_path: Path):
    with open_store(tmp_path) as store:
        around(store)
        written(store, secret(SECRET))
        store.record_usage(ANN, helpful=[f"{SECRET}#0"])
        store.record_activity(ANN, SECRET, "edit", day(1))
        store.write(ANN, relate(("k1", "cites", SECRET)))
        store.write(ANN, Batch(remove=(SECRET,)))
        assert traces(tmp_path, SECRET) == []


def test_many_removals_in_any_order_leave_nothing(tmp_path: Path):
    """Rows move from page to page as others go; copies that stay behind there are found."""
    chance = random.Random(3)
    with open_store(tmp_path) as store:
        alive: dict[str, str] = {}
        numbers = count()
        for _ in range(25):
            new = {}
            for _ in range(chance.randint(1, 40)):
                number = next(numbers)
                # Of all sizes, so that pages are split and merged in every way.
                filler = "kept " * chance.choice([0, 2, 20, 100, 400, 2000])
                new[f"{chance.getrandbits(40):x}-id{number:06}"] = f"word{number:06} {filler}"
            written(store, *(entry(id_, text, vectors=[ROW]) for id_, text in new.items()))
            alive |= new
            gone = chance.sample(sorted(alive), min(len(alive), chance.choice([1, 1, 3, 20])))
            store.write(ANN, Batch(remove=tuple(gone)))
            words = [alive.pop(id_).split()[0] for id_ in gone]
            assert traces(tmp_path, *words, *gone) == []
        assert store.check() == ()
        assert len(seen(store, ANN).fingerprints()) == len(alive)


def test_what_a_log_that_began_again_had_before_is_searched_too(tmp_path: Path):
    """Most removals look at the pages that the log has; a log that was applied has fewer."""
    with open_store(tmp_path) as store:
        written(store, *(entry(f"k{n}", f"kept {n} {'words ' * 99}") for n in range(99)))
        written(store, secret(), entry("b", "more"))
        store.write(ANN, Batch(remove=("b",)))
        path = database(tmp_path)
        with closing(sqlite3.connect(path)) as connection:
            # To move a row makes copies of it: here is one, in a page that nobody writes again.
            connection.execute("UPDATE space SET unswept = unswept + 1")
            connection.commit()
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        place = planted(path)
        written(store, entry("d", "two"))
        store.write(ANN, Batch(remove=("secret",)))
        assert path.read_bytes()[place : place + len(SECRET)] != SECRET.encode()


def planted(path: Path) -> int:
    """Where a text was put into the unused middle of a page of old texts."""
    data = path.read_bytes()
    for page in range(8192, len(data), 8192):
        cells, content = (int.from_bytes(data[page + n : page + n + 2]) for n in (3, 5))
        begin = page + 8 + 2 * cells
        is_of_texts = data[page] == 13 and b"kept 7 words" in data[page : page + 8192]
        if is_of_texts and page + content - begin > len(SECRET):
            with path.open("rb+") as stream:
                stream.seek(begin)
                stream.write(SECRET.encode())
            return begin
    raise AssertionError("there is no such page")


def test_a_row_that_sqlite_left_in_the_middle_of_a_page_is_found(tmp_path: Path):
    """The search for leftovers sees what the unused middle of a page holds."""
    with open_store(tmp_path) as store:
        written(store, entry("a", "text"))
        store.write(ANN, Batch(remove=("a",)))
        path = database(tmp_path)
        assert [*leftovers(path)] == []
    data = bytearray(path.read_bytes())
    page = next(
        start
        for start in range(8192, len(data), 8192)
        if data[start] == 13 and int.from_bytes(data[start + 5 : start + 7]) > 4096
    )
    middle = (int.from_bytes(data[page + 5 : page + 7]) + 8) // 2
    data[page + middle : page + middle + len(SECRET)] = SECRET.encode()
    copy = tmp_path / "copy"
    copy.write_bytes(data)
    (found,) = leftovers(copy)
    assert found.start < page + middle < found.start + found.length


def test_versions_end_with_what_they_show_and_others_stay(tmp_path: Path):
    with open_store(tmp_path) as store:
        first = written(store, entry("a", "one"))
        second = written(store, entry("b", "two"))
        assert len(search_text(store, ANN, ["one"], at=first)) == 1
        third = store.write(ANN, Batch(remove=("a",)))
        for at in (first, second):
            with pytest.raises(VersionGoneError):
                search_text(store, ANN, ["one"], at=at)
        written(store, entry("c", "three"))
        assert seen(store, ANN, at=third).info().documents == 1


def test_a_store_that_keeps_versions_says_until_when(tmp_path: Path):
    with open_store(tmp_path, keep_seconds=3600) as store:
        first = written(store, secret())
        before = datetime.now(UTC)
        store.write(ANN, Batch(remove=("secret",)))
        until = seen(store, ANN).state.remains_until
        assert until is not None
        assert timedelta() <= until - before - timedelta(hours=1) < timedelta(seconds=30)
        assert len(search_text(store, ANN, [SECRET], at=first)) == 1
        assert traces(tmp_path, SECRET)
        store.purge(ANN)
        assert traces(tmp_path, SECRET) == []
        assert seen(store, ANN).state.remains_until is None
        with pytest.raises(VersionGoneError):
            search_text(store, ANN, [SECRET], at=first)
        assert store.check() == ()


def test_a_later_write_erases_what_was_kept_long_enough(tmp_path: Path):
    with open_store(tmp_path, keep_seconds=3600) as store:
        written(store, secret())
        store.write(ANN, Batch(remove=("secret",)))
    with open_store(tmp_path, keep_seconds=1e-6) as store:
        written(store, entry("b", "two"))
        assert traces(tmp_path, SECRET) == []


def test_a_batch_can_leave_erasing_to_a_purge(tmp_path: Path):
    with open_store(tmp_path) as store:
        around(store)
        written(store, secret())
        store.write(ANN, Batch(remove=("secret",)), erase=False)
        assert traces(tmp_path, SECRET)
        assert seen(store, ANN).state.remains_until is not None
        store.purge(ANN)
        assert traces(tmp_path, SECRET) == []
        assert seen(store, ANN).state.remains_until is None


def test_a_purge_of_nothing_is_nothing(tmp_path: Path):
    with open_store(tmp_path) as store:
        store.purge(ANN)
        assert not [*tmp_path.glob("*.db")]
        version = written(store, entry("a", "one"))
        store.purge(ANN)
        assert seen(store, ANN).state.version == version


_READER = """
import sys
from biblicus_context.stores import Principal
from biblicus_context.stores.sqlite import open_store
with open_store(sys.argv[1]) as store:
    who = Principal("acme", user="ann")
    with store.view(who) as view:
        print(len(view.documents(["secret"])), flush=True)
        sys.stdin.readline()
        print(len(view.documents(["secret"])), flush=True)
    sys.stdin.readline()
"""


@contextmanager
def reader(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process in the middle of a read; the first line ends the read, the second one the process."""
    command = [sys.executable, "-c", _READER, str(folder)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "1\n"
        yield process
        process.kill()


def answer(process: subprocess.Popen[str]) -> str:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("\n")
    process.stdin.flush()
    return process.stdout.readline()


def test_a_reader_in_another_process_keeps_it_until_its_read_ends(tmp_path: Path):
    assert Principal("acme", user="ann").workspace == ANN.workspace
    with open_store(tmp_path) as store:
        around(store)
        written(store, secret())
        with reader(tmp_path) as process:
            store.write(ANN, Batch(remove=("secret",)))
            until = seen(store, ANN).state.remains_until
            assert until is not None
            assert until <= datetime.now(UTC)
            assert traces(tmp_path, SECRET)
            with pytest.raises(StillReadError, match=r"has not ended within 0\.1 s"):
                store.purge(ANN, timeout=0.1)
            assert answer(process) == "1\n"  # never wrong data: it reads what it began with
            store.purge(ANN, timeout=30)
            assert traces(tmp_path, SECRET) == []
            assert seen(store, ANN).state.remains_until is None


def test_the_next_write_erases_what_waited_for_a_reader(tmp_path: Path):
    with open_store(tmp_path) as store:
        around(store)
        written(store, secret())
        with reader(tmp_path) as process:
            store.write(ANN, Batch(remove=("secret",)))
            answer(process)
            written(store, entry("new", "one"))
            assert traces(tmp_path, SECRET) == []


def test_a_thread_that_reads_meanwhile_does_not_wait_for_itself(tmp_path: Path):
    with open_store(tmp_path) as store:
        written(store, secret())
        with store.view(ANN) as view:
            assert view.version == 1
            store.write(ANN, Batch(remove=("secret",)))
        assert seen(store, ANN).state.remains_until is not None
        store.purge(ANN)
        assert traces(tmp_path, SECRET) == []


_WRITER = """
import sys
from biblicus_context.stores import Batch, Principal
from biblicus_context.stores.sqlite import open_store
from biblicus_context.stores.sqlite.files import erasure, workspace
import os, signal
def killed(*_):
    os.kill(os.getpid(), signal.SIGKILL)
if sys.argv[2] == "before":
    workspace.erase = killed
else:
    erasure.transaction = killed
with open_store(sys.argv[1]) as store:
    store.write(Principal("acme", user="ann"), Batch(remove=("secret",)))
"""


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_opening_finishes_what_a_killed_process_began(tmp_path: Path, moment: str):
    with open_store(tmp_path) as store:
        around(store)
        written(store, secret())
    killed = subprocess.run([sys.executable, "-c", _WRITER, str(tmp_path), moment], check=False)
    assert killed.returncode == -signal.SIGKILL
    if moment == "before":
        assert traces(tmp_path, SECRET)
    with open_store(tmp_path) as store:
        assert seen(store, ANN).documents(["secret"]) == ()
        assert traces(tmp_path, SECRET) == []
        assert seen(store, ANN).state.remains_until is None
        assert store.check() == ()


def test_a_file_of_an_older_release_is_cleaned_when_it_is_opened(tmp_path: Path):
    """Older releases did not overwrite what they deleted."""
    with open_store(tmp_path) as store:
        around(store)
        written(store, secret())
        path = database(tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA secure_delete = OFF")
        connection.execute("DELETE FROM texts WHERE text LIKE '%xylophonist%'")
        connection.execute("UPDATE documents SET removed = version FROM space WHERE id = 'secret'")
        connection.execute("UPDATE space SET remains = 0")
        connection.commit()
    path.with_name(f"{path.name}.seal").unlink()
    assert traces(tmp_path, f"{SECRET} played")
    with open_store(tmp_path) as store:
        assert seen(store, ANN).state.remains_until is None
        assert traces(tmp_path, f"{SECRET} played") == []


def test_a_workspace_that_is_rewritten_does_not_grow(tmp_path: Path):
    def size() -> int:
        return sum(file.stat().st_size for file in tmp_path.iterdir())

    with open_store(tmp_path) as store:

        def rewrite(turn: int) -> None:
            texts = [f"memory {n} as of turn {turn}, {'kept words ' * 5}" for n in range(300)]
            entries = [entry(f"m{n}", text, vectors=[ROW]) for n, text in enumerate(texts)]
            written(store, *entries)

        rewrite(0)
        store.vacuum()
        once = size()
        for turn in range(1, 20):
            rewrite(turn)
            search_text(store, ANN, ["memory"])
            search_vectors(store, ANN, query(*ROW))
        assert size() < 3 * once
        assert len(search_text(store, ANN, ["turn"], limit=1_000)) == 300
        assert store.check() == ()
    assert traces(tmp_path, "turn 18", "memory 7 as of turn 0") == []
