"""Bytes of an index turned, zeroed, cut or swapped: an answer is the undamaged one, or a typed error."""

from __future__ import annotations

import random
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal, TypeAlias

import numpy as np

from benchmarks.attacks import Extent
from benchmarks.targets import Target
from biblicus_context.stores import (
    Batch,
    Block,
    Document,
    Entry,
    Principal,
    StoreError,
    Vectors,
)
from biblicus_context.stores.sqlite import open_store
from biblicus_context.testing.store_samples import blocks, search_text, search_vectors, seen

_ANN: Final = Principal("acme", sees_all=True)
_MODEL: Final = "tiny"
_DIMENSIONS: Final = 8
_SUBJECTS: Final = ["rose", "lily", "oak", "elm", "fern", "moss", "sage", "mint", "thyme", "basil"]

Outcome: TypeAlias = Literal["same", "error", "wrong"]


def sound_index(folder: Path, documents: int = 60) -> Path:
    """A store with texts and embeddings, closed."""
    chance = random.Random(1)
    with open_store(folder) as store:
        for number in range(documents):
            texts = [" ".join(chance.choices(_SUBJECTS, k=40)) for _ in range(3)]
            store.write(_ANN, Batch(put=(_entry(number, texts, chance),)))
        store.prepare(_ANN)
    return folder


def _entry(number: int, texts: list[str], chance: random.Random) -> Entry:
    name = f"d{number}"
    blocks = tuple(
        Block(id=f"{name}#{n}", document_id=name, position=n, text=text, tokens=40)
        for n, text in enumerate(texts)
    )
    rows = np.array([[chance.gauss(0, 1) for _ in range(_DIMENSIONS)] for _ in blocks], "<f4")
    vectors = Vectors(_MODEL, _DIMENSIONS, rows.tobytes())
    return Entry(Document(id=name, kind="text", text_hash=f"{number}"), blocks, (vectors,))


def answers(folder: Path) -> object:
    """Whatever a user could see of the index."""
    query = Vectors(_MODEL, _DIMENSIONS, np.ones(_DIMENSIONS, "<f4").tobytes())
    with open_store(folder, create=False) as store:
        hits = [search_text(store, _ANN, [subject], limit=20) for subject in _SUBJECTS]
        near = search_vectors(store, _ANN, query, limit=50)
        found = [hit.place.block_id for hit in near]
        listed = seen(store, _ANN).list_documents(limit=1_000)
        return hits, near, blocks(store, _ANN, found), listed, seen(store, _ANN).fingerprints()


def damage(folder: Path, chance: random.Random) -> None:
    """Change some bytes somewhere in a file of an index, so that it differs."""
    path = chance.choice(sorted(path for path in folder.iterdir() if path.stat().st_size))
    before = path.read_bytes()
    while path.read_bytes() == before:
        data = bytearray(before)
        at, size = chance.randrange(len(data)), chance.choice((1, 4, 64, 4096))
        match chance.choice(("flip", "zero", "truncate", "swap", "random")):
            case "flip":
                data[at] ^= 1 << chance.randrange(8)
            case "zero":
                data[at : at + size] = bytes(len(data[at : at + size]))
            case "truncate":
                del data[at:]
            case "swap":
                other = chance.randrange(len(data))
                data[at], data[other] = data[other], data[at]
            case _:
                data[at : at + size] = chance.randbytes(len(data[at : at + size]))
        path.write_bytes(data)


def outcome(folder: Path, expected: object) -> Outcome:
    """What a damaged index answers, and whether a check finds the damage."""
    try:
        found: Outcome = "same" if answers(folder) == expected else "wrong"
    except StoreError:
        return "error"
    return found


def is_found(folder: Path) -> bool:
    """Whether a check reports that something is wrong."""
    try:
        with open_store(folder, create=False) as store:
            return bool(store.check())
    except StoreError:
        return True


def damaged(times: int, seed: int = 7) -> tuple[dict[str, int], int]:
    """How many damages had each outcome, and how many of them a check missed."""
    counts: dict[str, int] = {"same": 0, "error": 0, "wrong": 0}
    missed = 0
    with tempfile.TemporaryDirectory() as place:
        sound = sound_index(Path(place) / "sound")
        expected = answers(sound)
        for number in range(times):
            copy = Path(place) / "copy"
            shutil.copytree(sound, copy)
            damage(copy, random.Random(f"{seed} {number}"))
            missed += not is_found(copy)
            counts[outcome(copy, expected)] += 1
            shutil.rmtree(copy)
    return counts, missed


def index_damages(extent: Extent) -> Iterator[Target]:
    """Five hundred damages in full."""
    times = extent.of(500)
    counts, missed = damaged(times)
    yield Target("damages of an index", times, "damages")
    yield Target("damages refused with an error", counts["error"], "damages")
    yield Target("damages that gave another answer", counts["wrong"], "damages", at_most=0)
    yield Target("damages that a check missed", missed, "damages", at_most=0)
