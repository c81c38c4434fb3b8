"""A process forks while its threads search, and every child can search."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest

from benchmarks.attacks.index_damages import sound_index
from biblicus_context.stores import Principal, Store, search_text
from biblicus_context.stores.sqlite import open_store

ANN = Principal("acme", sees_all=True)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_that_was_forked_while_threads_search_can_search(tmp_path: Path):
    store = open_store(sound_index(tmp_path / "store", documents=20))
    done = threading.Event()

    def search_on(number: int) -> None:
        while not done.is_set():
            number += 1
            search_text(store, ANN, [f"rose{number % 1000}", "rose"], limit=20)

    threads = [threading.Thread(target=search_on, args=(n,), daemon=True) for n in range(4)]
    for thread in threads:
        thread.start()
    try:
        ends = [child(store, number) for number in range(20)]
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert ends == [0] * 20
    store.close()


def child(store: Store, number: int) -> int:
    """How a child that searches ends: 0 if it found something, a signal if it hangs."""
    process = os.fork()
    if not process:
        signal.alarm(20)
        os._exit(0 if search_text(store, ANN, [f"oak{number}", "oak"], limit=20) else 3)
    return os.waitpid(process, 0)[1]
