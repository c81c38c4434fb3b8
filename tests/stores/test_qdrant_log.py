"""The log on a Qdrant server: what several processes write is one history, and what is removed is not in it."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given, settings, strategies as st
from qdrant_client import QdrantClient

from biblicus_context.corpora import Corpus
from biblicus_context.errors import ContextError, InputError
from biblicus_context.spec.corpus import CorpusDeclaration
from biblicus_context.stores import (
    Batch,
    Principal,
    Store,
    StoreError,
    VersionConflictError,
    search_text,
    search_vectors,
)
from biblicus_context.stores.qdrant import open_qdrant
from biblicus_context.stores.qdrant.entries import unpacked
from biblicus_context.stores.qdrant.points import Points
from biblicus_context.stores.sqlite import open_store
from biblicus_context.testing.store_samples import INDEXER, entry, put, query
from tests.qdrant_fixture import QdrantServer, running_qdrant


@pytest.fixture(scope="module")
def qdrant() -> Iterator[QdrantServer]:
    with running_qdrant() as server:
        yield server


@pytest.fixture
def namespace() -> str:
    return uuid4().hex


def contents(qdrant: QdrantServer, namespace: str) -> list[str]:
    """Everything that is on the server of a namespace, as texts."""
    client = QdrantClient(
        host="127.0.0.1", grpc_port=qdrant.grpc, prefer_grpc=True, check_compatibility=False
    )
    rows, _ = client.scroll("biblicus_context", limit=10_000)
    payloads = [each.payload or {} for each in rows]
    spaces = {each["space"] for each in payloads if each.get("namespace") == namespace}
    own = [each for each in payloads if each["space"] in spaces]
    return [repr(_plain(each)) for each in own]


def _plain(payload: dict[str, Any]) -> Any:
    if payload["kind"] == "entry" and payload["data"]:
        return {**payload, "data": unpacked(payload["data"])}
    if payload["kind"] == "part":
        import zlib
        from base64 import b64decode

        return zlib.decompress(b64decode(payload["data"]))  # tests have parts of one point
    return payload


def ids(store: Store, words: str) -> list[str]:
    with store.view(INDEXER) as view:
        return [each.block_id for each in search_text(view, words.split())]


def test_what_one_process_writes_another_reads_at_once(qdrant: QdrantServer, namespace: str):
    one, other = (open_qdrant(qdrant.url, namespace=namespace) for _ in range(2))
    with one, other:
        for number in range(12):
            writer, reader = (one, other) if number % 2 else (other, one)
            assert writer.write(INDEXER, put(entry(f"d{number}", "green tea"))) == number + 1
            assert f"d{number}#0" in ids(reader, "tea")


def test_to_read_is_one_round_trip(
    qdrant: QdrantServer, namespace: str, monkeypatch: pytest.MonkeyPatch
):
    with open_qdrant(qdrant.url, namespace=namespace) as store:
        store.write(INDEXER, put(entry("a", "green tea")))
        calls = list[str]()
        read = Points.read
        monkeypatch.setattr(Points, "read", lambda *args: calls.append("read") or read(*args))
        with store.view(INDEXER) as view:
            search_text(view, ["tea"])
            view.evidence(["a#0"])
        assert calls == ["read"]


def test_of_writers_in_several_processes_that_expect_one_version_one_wins(
    qdrant: QdrantServer, namespace: str
):
    stores = [open_qdrant(qdrant.url, namespace=namespace) for _ in range(3)]

    def added(number: int) -> int:
        store = stores[number % 3]
        while True:
            with store.view(INDEXER) as view:
                version = view.version
            batch = put(entry(f"d{number}", "green tea"))
            try:
                return store.write(INDEXER, batch, expected_version=version)
            except VersionConflictError:
                continue

    with ThreadPoolExecutor(3) as threads:
        assert sorted(threads.map(added, range(12))) == [*range(1, 13)]
    for store in stores:
        assert len(ids(store, "tea")) == 12
        store.close()


def test_what_was_removed_is_in_no_point(qdrant: QdrantServer, namespace: str):
    with (
        open_qdrant(qdrant.url, namespace=namespace) as store,
        open_qdrant(qdrant.url, namespace=namespace) as other,
    ):
        store.write(INDEXER, put(entry("a", "zebra secret"), entry("b", "green tea")))
        assert ids(other, "zebra") == ["a#0"]
        assert any("zebra" in each for each in contents(qdrant, namespace))
        store.write(INDEXER, Batch(remove=("a",)))
        assert not any("zebra" in each for each in contents(qdrant, namespace))
        assert (ids(other, "zebra"), ids(other, "tea")) == ([], ["b#0"])
        store.clear(INDEXER)
        assert not any("green" in each for each in contents(qdrant, namespace))


def test_what_was_refused_is_in_no_point(qdrant: QdrantServer, namespace: str):
    with open_qdrant(qdrant.url, namespace=namespace) as store:
        store.write(INDEXER, put(entry("a", "one")))
        with pytest.raises(InputError):
            store.write(INDEXER, put(entry("b", "zebra", vectors=[[float("nan")]])))
        with pytest.raises(VersionConflictError):
            store.write(INDEXER, put(entry("b", "zebra")), expected_version=0)
        with pytest.raises(InputError, match=r"put\[0\].document.metadata"):
            store.write(INDEXER, put(entry("b", "zebra", metadata={"x": object()})))
        assert not any("zebra" in each for each in contents(qdrant, namespace))
        with open_qdrant(qdrant.url, namespace=namespace) as other:
            assert (ids(other, "one"), ids(other, "zebra")) == (["a#0"], [])


def test_a_long_log_gets_a_checkpoint_that_new_processes_read(qdrant: QdrantServer, namespace: str):
    with open_qdrant(qdrant.url, namespace=namespace) as store:
        for number in range(20):
            store.write(INDEXER, put(entry(f"d{number}", "green tea")))
        before = len(contents(qdrant, namespace))
        store.prepare(INDEXER)
        assert len(contents(qdrant, namespace)) < before / 2
        store.write(INDEXER, put(entry("later", "green tea")))
        with open_qdrant(qdrant.url, namespace=namespace) as other:
            assert ids(other, "tea") == ids(store, "tea")
            assert len(ids(other, "tea")) == 21
            with other.view(INDEXER) as view:
                assert view.version == 21
        assert store.check() == ()


def test_a_write_may_be_larger_than_a_point(qdrant: QdrantServer, namespace: str):
    text = " ".join(uuid4().hex for _ in range(60_000))  # 2 MB that cannot be compressed much
    with open_qdrant(qdrant.url, namespace=namespace) as store:
        store.write(INDEXER, put(entry("a", text)))
        with open_qdrant(qdrant.url, namespace=namespace) as other, other.view(INDEXER) as view:
            assert view.evidence(["a#0"])[0].block.text == text


def test_a_server_that_dies_loses_and_doubles_nothing(namespace: str):
    with running_qdrant() as server, open_qdrant(server.url, namespace=namespace) as store:
        written = 0
        for kill in range(3):
            for _ in range(4):
                written += 1
                store.write(INDEXER, put(entry(f"d{written}", "green tea")))
            server.kill()
            with pytest.raises(StoreError, match="the Qdrant server failed"):
                store.write(INDEXER, put(entry(f"lost{kill}", "green tea")), token=f"t{kill}")
            server.start()
            store.write(INDEXER, put(entry(f"lost{kill}", "green tea")), token=f"t{kill}")
            written += 1
        with store.view(INDEXER) as view:
            assert view.version == written == view.info().documents


WORDS = st.lists(st.sampled_from(["green", "tea", "rye", "bread"]), min_size=1, max_size=4)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.sampled_from("abcd"), WORDS),
        st.tuples(st.just("remove"), st.sampled_from("abcd"), WORDS),
    ),
    min_size=1,
    max_size=8,
)


@settings(max_examples=15)
@given(STEPS)
def test_order_and_scores_are_those_of_the_embedded_store_to_the_bit(
    qdrant: QdrantServer, steps: list[tuple[str, str, list[str]]]
):
    with (
        TemporaryDirectory() as folder,
        open_store(Path(folder) / "store") as ours,
        open_qdrant(qdrant.url, namespace=uuid4().hex) as theirs,
    ):
        for act, name, words in steps:
            text = " ".join(words)
            vector = [[1.0 + len(text), float(ord(name) % 7)]]
            batch = (
                put(entry(name, text, vectors=vector)) if act == "put" else Batch(remove=(name,))
            )
            assert ours.write(INDEXER, batch) == theirs.write(INDEXER, batch)
            with ours.view(INDEXER) as one, theirs.view(INDEXER) as other:
                assert search_text(one, words) == search_text(other, words)
                assert search_vectors(one, query(1, 2)) == search_vectors(other, query(1, 2))


def test_a_declared_corpus_may_be_on_the_server(qdrant: QdrantServer, tmp_path: Path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "tea.md").write_text("Green tea is brewed for two minutes.", "utf-8")
    declared = CorpusDeclaration(
        name=f"kb{uuid4().hex}",
        config={"root": str(tmp_path / "notes"), "store": qdrant.url, "embedder": None},
    )
    with Corpus.open(declared) as corpus:
        corpus.ingest()
        with Corpus.open(declared) as other:
            assert [each.source for each in other.search("tea")] == ["tea.md"]


def test_errors_hold_no_key(qdrant: QdrantServer):
    with pytest.raises(InputError) as error:
        open_qdrant("http://:hush@host:6334")
    assert "hush" not in str(error.value)
    with open_qdrant("qdrant://:hush@127.0.0.1:1") as store:
        assert "hush" not in repr(store)
        with pytest.raises(ContextError) as refused:
            store.write(Principal("acme"), put(entry("a", "one")))
        assert "hush" not in str(refused.value)
