"""A process that writes to a Qdrant server until it is killed: python -m tests.stores.qdrant_child URL NAMESPACE"""

from __future__ import annotations

import sys

from biblicus_context.stores import Batch
from biblicus_context.stores.qdrant import open_qdrant
from biblicus_context.testing.store_samples import INDEXER, entry


def main(url: str, namespace: str) -> None:
    with open_qdrant(url, namespace=namespace) as store:
        with store.view(INDEXER) as view:
            number = view.version
        while True:
            number += 1
            own = entry(f"d{number}", "green tea", "black tea", vectors=[[1, number], [number, 1]])
            gone = (f"d{number - 3}",) if number % 5 == 0 else ()
            store.write(INDEXER, Batch(put=(own,), remove=gone), token=f"t{number}")
            print(number, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
