"""Tenants and users of one store: each gets the answers of a store that holds only what they may see."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from benchmarks.attacks import Extent, fast_folder
from benchmarks.attacks.tenant_questions import QUERIES, SETTINGS, assembled
from benchmarks.targets import Target
from biblicus_context import ContextRetrieverRequest, Corpus
from biblicus_context.corpora.answer_cache import AnswerCache, MemoryAnswerCache
from biblicus_context.embedders import FunctionEmbedder
from biblicus_context.spec.corpus import CorpusDeclaration
from biblicus_context.stores import (
    Batch,
    Block,
    Document,
    Entry,
    Principal,
    Readers,
    Relation,
    Store,
    Vectors,
)
from biblicus_context.stores.sqlite import open_store
from biblicus_context.testing.store_contract.isolation import observed, outcome
from biblicus_context.testing.store_samples import MODEL, day

COMPARISONS: Final = 20_000
_STEPS: Final = 6
_OPEN, _BOB, _HR = Readers(), Readers(users=frozenset({"bob"})), Readers(groups=frozenset({"hr"}))
_READERS: Final = {"a": _OPEN, "b": _OPEN, "c": _BOB, "d": _HR}
"""Who may see each document, in every workspace."""
_USERS: Final = (("ann", {"hr"}), ("bob", set[str]()), ("eve", set[str]()))
_WORDS: Final = ("cat", "dog", "retrieval", "retreival", "x-ray", "of", "Zürich", "注文")
_NOW: Final = datetime.now(UTC)


class Reader(NamedTuple):
    """A principal, and a store that holds only what this principal may see."""

    who: Principal
    alone: Store

    @property
    def sees(self) -> list[str]:
        """The documents that they may see."""
        groups = self.who.groups
        return [
            name
            for name, readers in _READERS.items()
            if readers == _OPEN or self.who.user in readers.users or groups & readers.groups
        ]


def tenants(extent: Extent) -> Iterator[Target]:
    """Twenty thousand comparisons in full."""
    wanted, compared, different = extent.of(COMPARISONS), 0, 0
    for seed in range(wanted):
        if compared >= wanted:
            break
        found, bad = world(seed)
        compared, different = compared + found, different + len(bad)
        for each in bad[:2]:
            print(f"  differs: seed {seed}: {each}", flush=True)
    yield Target("attack: comparisons between tenants", compared, "answers")
    yield Target("attack: answers that differ", different, "answers", at_most=0)


def world(seed: int) -> tuple[int, list[str]]:
    """Workspaces in one store, written in turns: how many answers were compared, and which differ."""
    chance = Random(seed)
    with tempfile.TemporaryDirectory(dir=fast_folder()) as folder, ExitStack() as stack:
        root = Path(folder) / "c"
        root.mkdir()
        shared = stack.enter_context(open_store(Path(folder) / "shared"))
        readers = [
            Reader(
                Principal(workspace, user=user, groups=groups),
                stack.enter_context(open_store(Path(folder) / f"{workspace}-{user}")),
            )
            for workspace in ("acme", "other")
            for user, groups in _USERS
        ]
        compared, different = 0, []
        cache = MemoryAnswerCache(1_000)  # shared by all of them
        for step in range(_STEPS):
            _write(chance, shared, readers)
            with ThreadPoolExecutor(4) as pool:  # all at once: what one asks another may find kept
                answers = [*pool.map(lambda each: _answers(root, shared, each.who, cache), readers)]
            for reader, found in zip(readers, answers, strict=True):
                alone = _answers(root, reader.alone, reader.who)
                compared += len(alone)
                different += [
                    f"step {step}, {reader.who}: {name}"
                    for name in alone
                    if found[name] != alone[name]
                ]
        return compared, different


def _answers(
    folder: Path, store: Store, who: Principal, cache: AnswerCache | None = None
) -> dict[str, object]:
    """All that this principal can ask, of the store and of retrievers over it."""
    found = observed(store, who)
    # Of an empty folder: what is asked for is only in the store.
    declaration = CorpusDeclaration(name="c", config={"root": str(folder)})
    embedder = FunctionEmbedder(
        lambda texts: [[1.0, float(len(text) % 7)] for text in texts], model=MODEL, dimensions=2
    )
    with Corpus.open(declaration, principal=who, store=store, embedder=embedder) as corpus:
        remembering = corpus.retriever({"cache": {}}, answer_cache=cache)
        for query in QUERIES:
            found[query] = outcome(partial(corpus.search, query))
            request = ContextRetrieverRequest(query=query, limit=5)
            found[f"remembered {query}"] = outcome(partial(remembering, request))
        for settings in SETTINGS:
            found[f"{settings}"] = outcome(partial(corpus.search, "cat retrieval", **settings))
        found["plan"] = outcome(partial(assembled, corpus))
    return found


def _write(chance: Random, shared: Store, readers: list[Reader]) -> None:
    """One batch in one workspace, or what one user may write."""
    workspace = chance.choice(("acme", "other"))
    indexer = Principal(workspace, sees_all=True)
    batch = _batch(chance)
    shared.write(indexer, batch)
    for who, alone in readers:
        if who.workspace == workspace:
            alone.write(indexer, _seen(batch, Reader(who, alone).sees))
    _use(chance, shared, readers, chance.choice(readers))


def _use(chance: Random, shared: Store, readers: list[Reader], writer: Reader) -> None:
    """What one user may write: uses and feedback of what they see; nothing hidden is changed."""
    hidden = tuple(name for name in _READERS if name not in writer.sees)
    used = [f"{name}#{n}" for name in writer.sees for n in chance.sample(range(3), 2)]
    when = day(chance.randint(1, 28))
    shared.record_usage(writer.who, used=used, helpful=used[:1], when=when)
    shared.record_usage(writer.who, unhelpful=[f"{name}#{n}" for name in hidden for n in range(3)])
    shared.write(writer.who, Batch(remove=hidden))
    done = [(name, chance.choice(("edit", "view"))) for name in chance.sample("abcd", 2)]
    moment = _NOW - timedelta(minutes=chance.randint(1, 60))
    for name, action in done:
        for store in (shared, writer.alone):
            store.record_activity(writer.who, name, action, moment)
    for reader in readers:
        if reader.who.workspace == writer.who.workspace:
            seen = [block for block in used if block[0] in reader.sees]
            liked = [block for block in used[:1] if block in seen]
            reader.alone.record_usage(reader.who, used=seen, helpful=liked, when=when)
            reader.alone.write(reader.who, Batch())


def _batch(chance: Random) -> Batch:
    names = chance.sample(sorted(_READERS), chance.randint(0, 3))
    pairs = [(chance.choice("abcd"), chance.choice("abcd")) for _ in range(chance.randint(0, 2))]
    kinds = [chance.choice(("cites", "row_of")) for _ in pairs]
    gone = tuple(name for name in chance.sample(sorted(_READERS), 1) if chance.random() < 0.3)
    return Batch(
        put=tuple(_entry(chance, name) for name in names if name not in gone),
        remove=gone,
        relate=tuple(Relation(*pair, kind) for pair, kind in zip(pairs, kinds, strict=True)),
    )


def _entry(chance: Random, name: str) -> Entry:
    texts = [" ".join(chance.choices(_WORDS, k=chance.randint(1, 6))) for _ in range(3)]
    texts = texts[: chance.randint(0, 3)]
    rows = [[chance.randint(-3, 3) + 0.5, 1.0] for _ in texts]
    blocks = tuple(
        Block(id=f"{name}#{n}", document_id=name, position=n, text=text, tokens=len(text.split()))
        for n, text in enumerate(texts)
    )
    document = Document(
        id=name,
        kind=chance.choice(("page", "row")),
        parent=chance.choice([*"abcd", None]),
        position=chance.randint(0, 3),
        superseded_by=chance.choice([*"abcd", None, None, None, None]),
        title=chance.choice(_WORDS),
        text_hash=f"{chance.random()}",
        created=day(chance.randint(1, 28)) if chance.random() < 0.5 else None,
        metadata={"owner": chance.choice("ab"), "size": len(texts)},
        readers=_READERS[name],
    )
    keys = [f"{name} {text}" for text in texts]
    vectors = (Vectors.of(MODEL, rows, keys),) if rows else ()
    return Entry(document, blocks, vectors)


def _seen(batch: Batch, seen: list[str]) -> Batch:
    """The part of a batch that a reader may know of."""
    return replace(
        batch,
        put=tuple(each for each in batch.put if each.document.id in seen),
        remove=tuple(name for name in batch.remove if name in seen),
        relate=tuple(each for each in batch.relate if each.source in seen and each.target in seen),
    )
