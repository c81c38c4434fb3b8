"""Files, stores and ingests for tests."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from biblicus_context.embedders import FunctionEmbedder
from biblicus_context.ingest import Content, IngestSettings, Parsed, ReaderRegistry, Summary, ingest
from biblicus_context.stores import Block, Principal, Store
from biblicus_context.testing.store_samples import seen
from biblicus_context.text.counters import Counters

ANN = Principal("handbook", sees_all=True)
WORDS = Counters().get("whitespace")
TOKENS = Counters().get("o200k_base")
MOMENT = datetime(2024, 5, 1, tzinfo=UTC)


def written(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """The folder, with these files in it."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def parsed(name: str, content: str | bytes) -> Parsed:
    """What the reader of a file makes of it."""
    data = content if isinstance(content, bytes) else content.encode()
    file = Content(name, data, MOMENT)
    reader = ReaderRegistry().reader_of(file)
    assert reader is not None
    return reader(file)


def embedder() -> FunctionEmbedder:
    """Two numbers for each text."""
    return FunctionEmbedder(
        lambda texts: [[1.0, float(len(text) % 97)] for text in texts], model="tiny", dimensions=2
    )


def run(store: Store, *roots: Path, settings: IngestSettings | None = None) -> Summary:
    """One ingest with embeddings."""
    return ingest(store, ANN, roots, counter=WORDS, embedder=embedder(), settings=settings)


def held(store: Store) -> dict[str, tuple[str, ...]]:
    """The ids of the blocks of every document."""
    return {
        name: tuple(block.id for block in seen(store, ANN).blocks_of([name]))
        for name in known(store)
    }


def texts(store: Store, name: str) -> list[str]:
    """The texts of a document's blocks."""
    return [block.text for block in seen(store, ANN).blocks_of([name])]


def known(store: Store) -> list[str]:
    """The documents of a store."""
    return sorted(seen(store, ANN).fingerprints())


def blocks(store: Store) -> list[Block]:
    """All blocks of a store."""
    return [block for name in known(store) for block in seen(store, ANN).blocks_of([name])]
