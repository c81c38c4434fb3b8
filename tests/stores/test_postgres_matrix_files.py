"""Embeddings of a store in Postgres in files of this machine: another process maps them, and finds the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import psycopg
import pytest

from biblicus_context import InputError
from biblicus_context.stores import Batch, Block, Document, Entry, SearchRequest, Store, Vectors
from biblicus_context.stores.postgres import open_store
from biblicus_context.testing.store_samples import INDEXER
from tests.stores.postgres import drop, new_schema, server, url

BLOCKS = 5000


def batch(first: int, count: int) -> Batch:
    rows = np.random.default_rng(first).standard_normal((count, 4)).astype("<f4")
    blocks = tuple(
        Block(id=f"b{first + n}", document_id=f"d{first}", position=n, text=f"Lamp {n}.", tokens=3)
        for n in range(count)
    )
    return Batch(put=(Entry(Document(id=f"d{first}"), blocks, (Vectors("m", 4, rows.tobytes()),)),))


def nearest(store: Store) -> list[tuple[str, float]]:
    with store.view(INDEXER) as view:
        found = view.search(SearchRequest(vector=Vectors.of("m", [[1.0, 0.0, 0.0, 0.0]])))
        rows = found.by_vector[:20]
        places = view.places(found, rows)
        scores = found.cosines[rows].tolist()
        return [(each.block_id, score) for each, score in zip(places, scores, strict=True)]


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.vectors"))


def test_a_process_that_comes_later_maps_the_file_and_finds_the_same(tmp_path: Path):
    """What was written since is read from the server; a purge removes the file."""
    schema, folder = new_schema(), tmp_path / "cache"
    try:
        with open_store(url(schema)) as plain:
            plain.write(INDEXER, batch(0, BLOCKS))
            expected = nearest(plain)
            for _ in range(2):  # writes the file, and maps it
                with open_store(url(schema, cache=folder)) as cached:
                    assert nearest(cached) == expected
            (file,) = files(folder)
            assert file.stat().st_mode & 0o077 == 0
            assert folder.stat().st_mode & 0o077 == 0
            plain.write(INDEXER, batch(BLOCKS, 10))
            with open_store(url(schema, cache=folder)) as cached:
                assert nearest(cached) == nearest(plain)
                assert files(folder) == [file]
                file.write_bytes(file.read_bytes()[:-8])  # what is damaged is not used
            with open_store(url(schema, cache=folder)) as cached:
                assert nearest(cached) == nearest(plain)
                cached.write(INDEXER, Batch(remove=("d0",)))
                cached.purge(INDEXER)
                assert files(folder) == []
                assert len(nearest(cached)) == 10
    finally:
        drop(schema)


def test_what_a_file_has_is_not_read_again(tmp_path: Path):
    """Here the server has lost it, so that nothing would be found."""
    schema, folder = new_schema(), tmp_path / "cache"
    try:
        with open_store(url(schema, cache=folder)) as store:
            store.write(INDEXER, batch(0, BLOCKS))
            expected = nearest(store)
        with psycopg.connect(server().url, autocommit=True) as connection:
            connection.execute(f'UPDATE "{schema}".vector SET data = %s'.encode(), (bytes(16),))
        with open_store(url(schema, cache=folder)) as store:
            assert nearest(store) == expected
    finally:
        drop(schema)


def test_a_folder_that_cannot_be_written_stops_no_search(tmp_path: Path):
    schema, folder = new_schema(), tmp_path / "file"
    folder.write_text("not a folder")
    try:
        with open_store(url(schema, cache=folder)) as store:
            store.write(INDEXER, batch(0, BLOCKS))
            assert len(nearest(store)) == 20
    finally:
        drop(schema)


def test_the_folder_is_a_whole_path():
    with pytest.raises(InputError, match=r"`cache` is the path of a folder"):
        open_store("postgresql://db/x?cache=here")
