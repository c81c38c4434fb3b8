"""A process of its own that ingests a history: `python -m tests.ingest.git.child STORE FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path

from biblicus_context.ingest import Progress
from biblicus_context.ingest.git import history
from biblicus_context.stores.sqlite import open_store
from tests.ingest.build import ANN, WORDS, embedder
from tests.orphans import end_with_parent

A_BATCH = 20


def main(store: str, folder: str) -> None:
    end_with_parent()
    history._A_BATCH = A_BATCH
    with open_store(Path(store)) as opened:
        history.ingest_history(
            opened, ANN, Path(folder), counter=WORDS, embedder=embedder(), on_progress=say
        )


def say(progress: Progress) -> None:
    sys.stdout.write(f"{progress.files}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
