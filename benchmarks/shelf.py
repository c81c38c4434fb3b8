"""Stores of generated text, embedded, in the three shapes that ranking tells apart."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks.stores_speed import BLOCKS_OF_A_BATCH, asked, mixed
from biblicus_context.corpora import LOCAL, Corpus
from biblicus_context.embedders import WordLlamaEmbedder
from biblicus_context.stores import Batch, Block, Document, Entry, Vectors
from biblicus_context.stores.sqlite import open_store

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@dataclass(frozen=True, slots=True)
class Shape:
    """How many blocks a document has, of how many words, and whether they are turns."""

    name: str
    blocks: int
    words: int
    is_talk: bool = False


SHAPES: Final = (
    Shape("documents of ten blocks", 10, 80),
    Shape("documents of one block", 1, 80),
    Shape("conversations of 200 turns", 200, 20, is_talk=True),
)


@dataclass(frozen=True, slots=True)
class Shelf:
    """A store that is written, and questions made of words of its blocks."""

    place: Path
    questions: tuple[str, ...]

    def opened(self) -> Corpus:
        """A corpus of its own over the same store: nothing is shared but the files."""
        return Corpus.open(self.place, store=self.place)


def filled(place: Path, shape: Shape, blocks: int, questions: int, *, write: bool = True) -> Shelf:
    """So many blocks of a shape, and so many questions, the same in every run."""
    texts = mixed(blocks, shape.words)
    if write:
        with open_store(place) as store:
            for batch in _batches(texts, shape):
                store.write(LOCAL, Batch(put=batch))
            store.prepare(LOCAL)
    dice = random.Random(2)
    return Shelf(place, tuple(" ".join(asked(dice, texts)) for _ in range(questions)))


def _batches(texts: Sequence[str], shape: Shape) -> Iterator[tuple[Entry, ...]]:
    embedder = WordLlamaEmbedder()
    batch: list[Entry] = []
    for first in range(0, len(texts), shape.blocks):
        shown = texts[first : first + shape.blocks]
        name = f"folder/{first}.md"
        rows = embedder.embed(shown).astype("<f4").tobytes()
        vectors = Vectors(embedder.model, embedder.dimensions, rows)
        document = Document(id=name, path=name, title=f"Text {first}")
        batch.append(Entry(document, tuple(_blocks(name, shown, shape)), (vectors,)))
        if len(batch) * shape.blocks >= BLOCKS_OF_A_BATCH:
            yield tuple(batch)
            batch = []
    yield tuple(batch)


def _blocks(name: str, shown: Sequence[str], shape: Shape) -> Iterator[Block]:
    for position, text in enumerate(shown):
        yield Block(
            id=f"{name}#{position}",
            document_id=name,
            position=position,
            text=text,
            tokens=len(text) // 4,
            heading=("Guide", f"Part {position % 7}"),
            session="talk" if shape.is_talk else None,
        )
