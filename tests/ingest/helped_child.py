"""A process of its own that ingests with a helper: `python -m tests.ingest.helped_child STORE FOLDER`.

It says the number of the helper's process, then a line for every file, and waits where it is told to.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

from biblicus_context.ingest import Progress, ingest
from biblicus_context.ingest.chunks.cutting import Cutting
from biblicus_context.ingest.helper import helped
from biblicus_context.stores.sqlite import open_store
from tests.ingest.build import ANN, TOKENS
from tests.ingest.helpers import Watched
from tests.orphans import end_with_parent

INTERRUPTED_AT = 3


class Named(Watched):
    """One whose number is known outside."""

    def __init__(self, cutting: Cutting) -> None:
        super().__init__(cutting)
        say({"helper": self.number})

    def end(self) -> None:
        super().end()
        say({"answered": self.answered})


def say(what: object) -> None:
    os.write(SAID, f"{json.dumps(what)}\n".encode())


def main(store: str, folder: str) -> None:
    helped._MANY, helped._ENOUGH, helped.Helper = 0, 0, Named  # type: ignore[misc] - so that small files need one
    with open_store(Path(store)) as opened:
        summary = ingest(opened, ANN, [Path(folder)], counter=TOKENS, on_progress=progress)
    say({"added": len(summary.added)})


def progress(at: Progress) -> None:
    say({"files": at.files})
    if "--interrupted" in sys.argv and at.files == INTERRUPTED_AT:
        time.sleep(60)  # so that it is not over before the interrupt comes


if __name__ == "__main__":
    SAID = os.dup(1)
    if "--closed" in sys.argv:
        os.closerange(0, 3)
    elif "--interrupted" not in sys.argv:
        end_with_parent()
    main(*sys.argv[1:3])
