"""Stores on a server, compared with the embedded one: random corpora, principals, filters, versions and queries."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from benchmarks.attacks import Extent, fast_folder
from benchmarks.attacks.same_answers import differences
from benchmarks.targets import Target
from biblicus_context.stores.postgres import open_store
from biblicus_context.stores.postgres.embedded import EmbeddedPostgres
from biblicus_context.stores.sqlite import open_store as open_folder

SEARCHES: Final = 20_000
_OF_A_WORLD: Final = 60


def server_stores(extent: Extent) -> Iterator[Target]:
    """Every answer of Postgres is that of SQLite, with the same scores to the last bit."""
    worlds, wrong = max(1, extent.of(SEARCHES) // _OF_A_WORLD), 0
    with tempfile.TemporaryDirectory(dir=fast_folder(), ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        with EmbeddedPostgres(Path(folder) / "s", durable=False) as server:
            for seed in range(worlds):
                url = f"{server.url}&schema=world{seed}"
                with (
                    open_store(url, keep_seconds=3600) as ours,
                    open_folder(Path(folder) / f"w{seed}", keep_seconds=3600) as reference,
                ):
                    for problem in differences((reference, ours), seed, _OF_A_WORLD):
                        print(problem)
                        wrong += 1
    yield Target("searches in Postgres compared with SQLite", worlds * _OF_A_WORLD, "searches")
    yield Target("that differ", wrong, "searches", at_most=0)
