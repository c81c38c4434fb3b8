"""A process of its own that ingests a folder once: `python -m tests.ingest.child STORE FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path

from biblicus_context.ingest import Progress, syncing
from biblicus_context.stores.sqlite import open_store
from tests.ingest.build import ANN, WORDS, embedder
from tests.orphans import end_with_parent

BLOCKS_A_BATCH = 20


def main(store: str, folder: str) -> None:
    end_with_parent()
    syncing._BLOCKS_A_BATCH = BLOCKS_A_BATCH
    with open_store(Path(store)) as opened:
        syncing.ingest(
            opened, ANN, [Path(folder)], counter=WORDS, embedder=embedder(), on_progress=say
        )


def say(progress: Progress) -> None:
    sys.stdout.write(f"{progress.files}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
