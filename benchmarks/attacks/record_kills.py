"""Programs killed while they write records: each call has happened whole or not at all, and none is lost."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Iterator
from datetime import timedelta
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from benchmarks.attacks import Extent, fast_folder
from benchmarks.targets import Target
from biblicus_context import Corpus, Principal, Record
from biblicus_context.corpora import StoredAnswerCache
from biblicus_context.corpora.answer_cache import AnswerCache
from biblicus_context.embedders import FunctionEmbedder
from biblicus_context.stores import Action, Relation, Store, StoreError
from biblicus_context.testing.memory_store import InMemoryStore
from biblicus_context.testing.store_samples import (
    day,
    seen,
)

KILLS: Final = 300
_MOST_CALLS: Final = 400
"""Of one process; it is killed long before."""
_WHO: Final = Principal("acme", user="ann")
_IDS: Final = tuple(f"r{number}" for number in range(12))
_KEYS: Final = ("a:1", "a:2", "b:1")
_RECORDS: Final = (
    *("put", "put", "put", "update", "supersede", "remove", "relate", "unrelate", "clear"),
)
_CALLS: Final = (*_RECORDS, "activity", "usage", "answer", "invalidate")
_RARELY: Final = 0.1
_EMBEDDER: Final = FunctionEmbedder(
    lambda texts: [[1.0, float(len(text) % 97)] for text in texts], model="tiny", dimensions=2
)


class _Records(NamedTuple):
    """A corpus of records, and remembered answers in the same store."""

    corpus: Corpus
    answers: AnswerCache

    @classmethod
    def open(cls, place: Path | Store) -> _Records:
        corpus = Corpus.open_records(place, principal=_WHO, embedder=_EMBEDDER)
        corpus.put_many(())
        return cls(corpus, StoredAnswerCache(corpus, clock=lambda: 1.0))


class Outcome(NamedTuple):
    """What kills did to records."""

    kills: int
    calls: int
    """Calls that returned before a kill."""
    torn: int
    """Kills after which the records were neither those after the last call that returned, nor those
    after the next one."""
    damaged: int


def record_kills(extent: Extent) -> Iterator[Target]:
    """Three hundred kills in full."""
    found = killed(extent.of(KILLS))
    yield Target("attack: programs killed while they write records", found.kills, "kills")
    yield Target("attack: calls that had returned", found.calls, "calls")
    yield Target("attack: kills that lost or tore a call", found.torn, "kills", at_most=0)
    yield Target("attack: stores damaged by kills", found.damaged, "stores", at_most=0)


def killed(times: int, seed: int = 3) -> Outcome:
    """Write records in processes that are killed, each going on where the last one got."""
    chance, done, torn, damaged = Random(seed), 0, 0, 0
    undisturbed = _Records.open(InMemoryStore())
    with tempfile.TemporaryDirectory(dir=fast_folder()) as place:
        folder = Path(place) / "store"
        _Records.open(folder).corpus.close()
        for _ in range(times):
            returned = _killed_after(chance.uniform(0.01, 0.6), folder, done)
            for number in range(done, done + returned):
                _call(undisturbed, number)
            done += returned
            try:
                now = _contents(folder)
            except StoreError:
                damaged += 1
                continue
            if now != _known(undisturbed):
                _call(undisturbed, done)  # it was killed before it could say so
                done += 1
                torn += now != _known(undisturbed)
    return Outcome(times, done, torn, damaged)


def _killed_after(seconds: float, folder: Path, start: int) -> int:
    """Kill a process that writes; how many of its calls had returned."""
    reading, writing = os.pipe()
    process = get_context("fork").Process(target=_write, args=(folder, start, writing))
    process.start()
    os.close(writing)
    with os.fdopen(reading, "rb") as said:
        said.read(1)  # it has opened the store: the time begins
        process.join(seconds)
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        return len(said.read())


def _write(folder: Path, start: int, said: int) -> None:
    records = _Records.open(folder)
    os.write(said, b"o")
    for number in range(start, start + _MOST_CALLS):
        _call(records, number)
        os.write(said, b".")


def _call(records: _Records, number: int) -> None:
    """The call of this number: always the same one."""
    chance = Random(f"call {number}")
    kind = chance.choice(_CALLS)
    if kind in _RECORDS:
        _change(records.corpus, chance, kind, number)
    else:
        _note(records, chance, kind, number)


def _change(corpus: Corpus, chance: Random, kind: str, number: int) -> None:
    """Change records or their relations."""
    one, other = chance.sample(_IDS, 2)
    match kind:
        case "put":
            names = chance.sample(_IDS, chance.randint(1, 8))
            corpus.put([_record(chance, name) for name in names])
        case "update":
            corpus.update(one, **{chance.choice(("title", "text")): f"new {number}"})
        case "supersede":
            corpus.update(one, superseded_by=other)
        case "remove":
            corpus.remove(chance.sample(_IDS, chance.randint(1, 3)))
        case "relate":
            corpus.relate([Relation(one, other, "cites"), Relation(other, one, "about", 0.5)])
        case "unrelate":
            corpus.unrelate([Relation(one, other, "cites")])
        case _ if chance.random() < _RARELY:
            corpus.clear()


def _note(records: _Records, chance: Random, kind: str, number: int) -> None:
    """Note what is done with records, or an answer."""
    store, one = records.corpus.store, chance.choice(_IDS)
    match kind:
        case "activity":
            action: Action = chance.choice(("edit", "view"))
            store.record_activity(_WHO, one, action, day(1) + timedelta(seconds=number))
        case "usage":
            blocks = [each.id for each in seen(store, _WHO).blocks_of([one])]
            store.record_usage(_WHO, used=blocks, helpful=blocks[:1], when=day(2))
        case "answer":
            records.answers.put(chance.choice(_KEYS), b"%d" % number * 50, 60)
        case _:
            records.answers.invalidate("a:*")


def _record(chance: Random, name: str) -> Record:
    text = " ".join(f"word{chance.randrange(100)}" for _ in range(chance.randint(1, 40)))
    return Record(id=name, text=text, created=day(chance.randint(1, 28)), metadata={"n": len(text)})


def _contents(folder: Path) -> dict[str, object]:
    """What a process that opens the store after a kill finds; a damaged one is an error."""
    records = _Records.open(folder)
    try:
        if problems := records.corpus.store.check():
            raise StoreError(problems[0])
        return _known(records)
    finally:
        records.corpus.close()


def _known(records: _Records) -> dict[str, object]:
    """All that the records, and what was done with them, are made of."""
    corpus, store = records.corpus, records.corpus.store
    blocks = [block.id for each in _IDS for block in seen(store, _WHO).blocks_of([each])]
    return {
        "records": [*corpus.export_lines()],
        "relations": seen(store, _WHO).relations(_IDS, direction="both"),
        "vectors": dict(seen(store, _WHO).vectors(_EMBEDDER.model, blocks)),
        "found": [each.block.id for each in corpus.search("word1 word2", limit=50)],
        "activity": seen(store, _WHO).activity(),
        "usage": dict(seen(store, _WHO).usage(blocks)),
        "answers": [records.answers.get(key) for key in _KEYS],
    }
