"""Programs and servers that are killed while they write: nothing that was reported is lost, and nothing is there twice."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Final

from benchmarks.attacks import Extent
from benchmarks.targets import Target
from biblicus_context.stores.postgres import open_store
from biblicus_context.stores.postgres.embedded import EmbeddedPostgres
from biblicus_context.stores.postgres.store import PostgresStore
from biblicus_context.testing.store_samples import INDEXER, seen

CLIENTS: Final = 100
SERVERS: Final = 20
_ROOT: Final = Path(__file__).parents[2]
_WRITER: Final = """
import sys
from biblicus_context.stores.postgres import open_store
from biblicus_context.testing.store_samples import INDEXER, entry, put
from biblicus_context.stores import StoreError
url, name = sys.argv[1:]
with open_store(url) as store:
    for number in range(100_000):
        own = f"{name}-{number}"
        while True:
            try:  # each document replaces the one before it, so that there is something to sweep
                store.write(INDEXER, put(entry(own, f"text {number}"), entry(name, f"last {number}")), token=own)
            except StoreError:
                continue
            break
        print(own, flush=True)
"""


def server_kills(extent: Extent) -> Iterator[Target]:
    """Clients, then servers, each in the middle of writes of two programs."""
    with tempfile.TemporaryDirectory(prefix="pk", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        for name, count, kill in (
            ("clients", extent.of(CLIENTS), _kill_client),
            ("servers", extent.of(SERVERS), _kill_server),
        ):
            with EmbeddedPostgres(Path(folder) / name) as server:
                url = f"{server.url}&patience=10"
                open_store(url).close()
                random, told = Random(count), set[str]()
                for number in range(count):
                    kill(server, url, f"{name}{number}", random, told)
                with open_store(url) as store:
                    lost, doubled = _account(store, told)
            yield Target(f"{name} killed while two programs write", count, "kills")
            yield Target(f"writes that were reported ({name} killed)", len(told), "writes")
            yield Target(f"lost ({name} killed)", lost, "writes", at_most=0)
            yield Target(f"there twice, or damaged ({name} killed)", doubled, "writes", at_most=0)


def _kill_client(_: EmbeddedPostgres, url: str, name: str, random: Random, told: set[str]) -> None:
    writers = [_start(url, f"{name}{each}") for each in "ab"]
    _wait(writers)
    time.sleep(random.uniform(0, 0.3))
    _end(writers, told)


def _kill_server(
    server: EmbeddedPostgres, url: str, name: str, random: Random, told: set[str]
) -> None:
    writers = [_start(url, f"{name}{each}") for each in "ab"]
    _wait(writers)
    time.sleep(random.uniform(0, 0.3))
    server.stop(kill=True)
    server.start()
    time.sleep(random.uniform(0.2, 0.5))
    _end(writers, told)


def _start(url: str, name: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", _WRITER, url, name]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=_ROOT)


def _wait(writers: list[subprocess.Popen[str]]) -> None:
    for each in writers:
        assert each.stdout is not None
        assert each.stdout.readline()


def _end(writers: list[subprocess.Popen[str]], told: set[str]) -> None:
    for each in writers:
        each.send_signal(signal.SIGKILL)
    for each in writers:
        assert each.stdout is not None
        told.update(line.strip() for line in each.stdout)
        each.wait()


def _account(store: PostgresStore, told: set[str]) -> tuple[int, int]:
    """How many writes are lost, and how many are there twice or make the store unsound."""
    view = seen(store, INDEXER)
    there = {each for each in view.fingerprints() if "-" in each}
    lost = len(told - there)
    # Each write makes one version and one document with a number.
    return lost, abs(view.version - len(there)) + len(store.check())
