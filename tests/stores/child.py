"""A process of its own that writes to a store, or searches in it, until its parent ends it."""

from __future__ import annotations

import sys
from itertools import count

from biblicus_context.stores import Batch, Store, VersionGoneError
from biblicus_context.stores.sqlite import open_store
from biblicus_context.testing.store_samples import (
    ANN,
    INDEXER,
    day,
    entry,
    query,
    search_text,
    search_vectors,
    seen,
)
from tests.orphans import end_with_parent

PER_BATCH = 20
KEPT = 3


def batch(number: int, name: str = "") -> Batch:
    """The documents of a version, in place of those of some versions ago."""
    texts = [f"batch number{number}", "common words " * 20]
    put = tuple(
        entry(f"{name}{number}-{n}", *texts, vectors=[[1, n], [n, 1]], text_hash=f"{number}")
        for n in range(PER_BATCH)
    )
    return Batch(put=put, remove=documents(number - KEPT, name))


def documents(number: int, name: str = "") -> tuple[str, ...]:
    """The ids of the documents of a version."""
    return tuple(f"{name}{number}-{n}" for n in range(PER_BATCH))


def write_on(store: Store) -> None:
    """Write version after version, beginning with the one that comes next."""
    for number in count(seen(store, INDEXER).state.version + 1):
        assert store.write(INDEXER, batch(number)) == number
        say(f"{number}")
        store.record_usage(INDEXER, used=documents(number), when=day(1))
        if number % 5 == 0:
            store.prepare(INDEXER)


def say(line: str) -> None:
    """Tell the process that started this one."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def write_some(store: Store, name: str) -> None:
    """Write a few batches under a name of one's own."""
    for number in range(12):
        store.write(INDEXER, batch(number, name))


def search_on(store: Store) -> None:
    """Search until everything is written; every version is seen whole, page by page."""
    while seen(store, ANN).state.version < 24:
        version = seen(store, ANN).state.version
        try:
            whole = search_text(store, ANN, ["common"], limit=10_000, at=version)
            pages = [
                search_text(store, ANN, ["common"], limit=50, offset=start, at=version)
                for start in range(0, 200, 50)
            ]
            near = search_vectors(store, ANN, query(1, 1), limit=10_000, at=version)
        except VersionGoneError:
            continue
        assert len(whole) % PER_BATCH == 0, (version, len(whole))
        assert len(near) == 2 * len(whole), (version, len(near))
        assert sum(pages, ()) == whole[:200], version


def main(job: str, folder: str, name: str) -> None:
    """Open the store, say so, and do the job."""
    with open_store(folder, keep_seconds=0 if job == "write on" else 60) as store:
        say("ready")
        sys.stdin.readline()
        end_with_parent()
        {
            "write on": lambda: write_on(store),
            "write some": lambda: write_some(store, name),
            "search on": lambda: search_on(store),
        }[job]()


if __name__ == "__main__":
    main(*sys.argv[1:])
