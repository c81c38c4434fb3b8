"""A collection on a Qdrant server is one head and the packs that it names, for any number of processes."""

from __future__ import annotations

import subprocess
import sys
import time
import zlib
from base64 import b64decode
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given, settings, strategies as st
from qdrant_client import QdrantClient

from biblicus_context.base.effects import Outcome
from biblicus_context.corpora import Corpus
from biblicus_context.errors import ContextError, InputError
from biblicus_context.spec.corpus import CorpusDeclaration
from biblicus_context.stores import (
    Batch,
    Filters,
    Principal,
    Store,
    StoreError,
    VersionConflictError,
    VersionGoneError,
    matrix_files,
    search_text,
    search_vectors,
)
from biblicus_context.stores.addresses import address_of
from biblicus_context.stores.qdrant import open_qdrant
from biblicus_context.stores.qdrant.catalogue import reader_names
from biblicus_context.stores.qdrant.head import head_id
from biblicus_context.stores.qdrant.points import Point, Points, point_id
from biblicus_context.stores.qdrant.source import QdrantSource
from biblicus_context.stores.qdrant.space import Spaces
from biblicus_context.stores.sqlite import open_store
from biblicus_context.testing.store_samples import (
    ANN,
    INDEXER,
    ONLY_BOB,
    day,
    entry,
    put,
    query,
    relate,
)
from tests.nightly import NIGHTLY, sample
from tests.qdrant_fixture import QdrantServer, running_qdrant


@pytest.fixture(scope="module")
def qdrant() -> Iterator[QdrantServer]:
    with running_qdrant() as server:
        yield server


@pytest.fixture
def namespace() -> str:
    return uuid4().hex


class Clock:
    """Nanoseconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 1_800_000_000_000_000_000

    def __call__(self) -> int:
        return self.now

    def pass_seconds(self, seconds: int) -> None:
        self.now += seconds * 1_000_000_000


class Killed(BaseException):
    """The process ends here."""


class MortalPoints(Points):
    """Points of a process that is killed before or after one of its calls to the server."""

    def __init__(self, url: str, collection: str) -> None:
        super().__init__(url, collection)
        self.left: int | None = None

    def _call(self, function: Callable[[Any], Any]) -> Any:
        if self.left is None:
            return super()._call(function)
        self.left -= 1
        if self.left < 0:
            raise Killed
        found = super()._call(function)
        if self.left == 0:
            raise Killed
        return found


@contextmanager
def opened(
    qdrant: QdrantServer, namespace: str, clock: Clock | None = None, points: Points | None = None
) -> Iterator[Store]:
    """As in a process of its own: stores of one process share what they know."""
    own = Spaces(points or Points(qdrant.url, "biblicus_context"), namespace)
    with closing(QdrantSource(own, 0.0, clock=clock or time.time_ns)) as source:
        yield Store(source)


def contents(qdrant: QdrantServer, namespace: str) -> list[str]:
    """Everything that is on the server of a namespace, as texts."""
    with closing(
        QdrantClient(
            host="127.0.0.1", grpc_port=qdrant.grpc, prefer_grpc=True, check_compatibility=False
        )
    ) as client:
        rows, _ = client.scroll("biblicus_context", limit=100_000)
    payloads = [each.payload or {} for each in rows]
    spaces = {each["space"] for each in payloads if each.get("namespace") == namespace}
    return [repr(_plain(each)) for each in payloads if each["space"] in spaces]


def _plain(payload: dict[str, Any]) -> Any:
    with suppress(ValueError, zlib.error):
        return {**payload, "data": zlib.decompress(b64decode(payload["data"], validate=True))}
    return payload


def ids(store: Store, words: str) -> list[str]:
    with store.view(INDEXER) as view:
        return [each.block_id for each in search_text(view, words.split())]


def test_what_one_process_writes_another_reads_at_once(qdrant: QdrantServer, namespace: str):
    with opened(qdrant, namespace) as one, opened(qdrant, namespace) as other:
        for number in range(12):
            writer, reader = (one, other) if number % 2 else (other, one)
            assert writer.write(INDEXER, put(entry(f"d{number}", "green tea"))) == number + 1
            assert f"d{number}#0" in ids(reader, "tea")


def test_what_is_known_is_searched_and_shown_in_two_trips(
    qdrant: QdrantServer, namespace: str, monkeypatch: pytest.MonkeyPatch
):
    with opened(qdrant, namespace) as store:
        store.write(INDEXER, put(entry("a", "green tea", vectors=[[1, 2]]), entry("b", "rye")))
        ids(store, "tea rye")
        calls = list[int]()
        answer = Points.answer

        def counted(points: Points, questions: Sequence[Any]) -> Sequence[Outcome]:
            calls.append(len(questions))
            return answer(points, questions)

        monkeypatch.setattr(Points, "answer", counted)
        with store.view(INDEXER) as view:
            found = search_text(view, ["tea", "rye"])
            view.documents(["a"])
            view.tree(["a"], up=2, down=2, across=2)
            view.relations(["a"])
            view.usage(["a#0"])
            view.evidence([each.block_id for each in found])
        assert len(calls) == 2


def test_of_writers_in_several_processes_that_expect_one_version_one_wins(
    qdrant: QdrantServer, namespace: str
):
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

    with ExitStack() as stack, ThreadPoolExecutor(3) as threads:
        stores = [stack.enter_context(opened(qdrant, namespace)) for _ in range(3)]
        assert sorted(threads.map(added, range(12))) == [*range(1, 13)]
        for store in stores:
            assert len(ids(store, "tea")) == 12


def test_of_writers_that_expect_nothing_none_is_lost(qdrant: QdrantServer, namespace: str):
    def added(number: int) -> int:
        return stores[number % 3].write(INDEXER, put(entry(f"d{number}", "green tea")))

    with ExitStack() as stack, ThreadPoolExecutor(3) as threads:
        stores = [stack.enter_context(opened(qdrant, namespace)) for _ in range(3)]
        assert sorted(threads.map(added, range(12))) == [*range(1, 13)]
        for store in stores:
            assert len(ids(store, "tea")) == 12


def removing(store: Store) -> None:
    """Write, change, relate, use and remove documents, and purge them."""
    zebra = entry("zebra1", "zebra secret", title="Zebra", tags=("zebra",), vectors=[[0.5, 0.25]])
    store.write(INDEXER, put(zebra, entry("b", "green tea", vectors=[[1, 0]])))
    store.write(INDEXER, put(entry("c", "zebra again"), entry("d", "black tea")))
    store.write(INDEXER, relate(("zebra1", "zebraic", "b")))
    store.record_usage(INDEXER, used=("zebra1#0", "b#0"), when=day(2))
    store.record_activity(INDEXER, "zebra1", "view", day(2))
    store.write(INDEXER, put(entry("c", "rye bread")))
    store.write(INDEXER, Batch(remove=("zebra1",)))


def is_in(qdrant: QdrantServer, namespace: str, text: str) -> bool:
    return any(text in each.lower() for each in contents(qdrant, namespace))


def test_what_was_removed_is_in_no_point_once_it_is_purged(qdrant: QdrantServer, namespace: str):
    with (
        opened(qdrant, namespace) as store,
        opened(qdrant, namespace) as other,
    ):
        removing(store)
        assert ids(other, "zebra") == []
        with store.view(INDEXER) as view:
            assert view.state.remains_until is not None
        assert is_in(qdrant, namespace, "zebra")
        store.purge(INDEXER)
        assert not is_in(qdrant, namespace, "zebra")
        for each in (store, other):
            assert (ids(each, "zebra"), ids(each, "tea")) == ([], ["b#0", "d#0"])
            with each.view(INDEXER) as view:
                assert view.state.remains_until is None
                assert view.usage(["b#0"])["b#0"].used == 1
                assert [hit.block_id for hit in search_vectors(view, query(1, 0))] == ["b#0"]
        store.clear(INDEXER)
        assert not is_in(qdrant, namespace, "tea")
        assert len(contents(qdrant, namespace)) == 1


def test_the_next_write_after_half_a_minute_leaves_nothing_of_it_either(
    qdrant: QdrantServer, namespace: str
):
    clock = Clock()
    with opened(qdrant, namespace, clock) as store, opened(qdrant, namespace, clock) as other:
        removing(store)
        with other.view(INDEXER, at=4) as view:  # who reads goes on
            clock.pass_seconds(29)
            store.write(INDEXER, put(entry("e", "white tea")))
            assert is_in(qdrant, namespace, "zebra")
            assert view.evidence(["zebra1#0"])[0].block.text == "zebra secret"
        clock.pass_seconds(31)
        other.write(INDEXER, put(entry("f", "white tea")))
        assert not is_in(qdrant, namespace, "zebra")
        late = store.view(INDEXER, at=4)
        with pytest.raises(VersionGoneError), late:
            pass


def test_what_was_refused_is_in_no_point(qdrant: QdrantServer, namespace: str):
    with opened(qdrant, namespace) as store:
        store.write(INDEXER, put(entry("a", "one")))
        with pytest.raises(InputError):
            store.write(INDEXER, put(entry("b", "zebra", vectors=[[float("nan")]])))
        with pytest.raises(VersionConflictError):
            store.write(INDEXER, put(entry("b", "zebra")), expected_version=0)
        with pytest.raises(InputError, match=r"put\[0\].document.metadata"):
            store.write(INDEXER, put(entry("b", "zebra", metadata={"x": object()})))
        assert not is_in(qdrant, namespace, "zebra")
        with opened(qdrant, namespace) as other:
            assert (ids(other, "one"), ids(other, "zebra")) == (["a#0"], [])


def test_many_small_writes_become_few_packs_while_others_read(qdrant: QdrantServer, namespace: str):
    with (
        opened(qdrant, namespace) as store,
        opened(qdrant, namespace) as other,
    ):
        for number in range(40):
            store.write(INDEXER, put(entry(f"d{number:02}", "green tea", vectors=[[1, number]])))
            store.record_usage(INDEXER, used=(f"d{number:02}#0",), when=day(1))
            if number % 7 == 0:
                assert len(ids(other, "tea")) == number + 1
        kinds = [each for each in contents(qdrant, namespace) if "'kind': 'text'" not in each]
        assert len(kinds) < 40
        with opened(qdrant, namespace) as later:
            assert ids(later, "tea") == ids(store, "tea") == ids(other, "tea")
            with later.view(INDEXER) as view, store.view(INDEXER) as own:
                assert search_vectors(view, query(1, 3)) == search_vectors(own, query(1, 3))
                assert view.usage(["d07#0"]) == own.usage(["d07#0"])
        assert store.check() == ()


def test_a_document_may_be_larger_than_a_call(qdrant: QdrantServer, namespace: str):
    words = [f"{number:x}" for number in range(0xABC000, 0xABC000 + 60_000)]
    with opened(qdrant, namespace) as store:
        own = entry("a", " ".join(words), *(" ".join(words[n::50]) for n in range(50)))
        store.write(INDEXER, put(own))
        with opened(qdrant, namespace) as other, other.view(INDEXER) as view:
            assert view.evidence(["a#0"])[0].block.text == " ".join(words)
            assert len(search_text(view, [words[7]])) == 2


def test_nobody_reads_a_point_of_others_by_its_id(qdrant: QdrantServer, namespace: str):
    """The server too is asked with the tenant and the readers, whatever id is asked for."""
    with opened(qdrant, namespace) as store:
        store.write(INDEXER, put(entry("a", "secret", readers=ONLY_BOB), entry("b", "known")))
        with store.view(INDEXER) as view:
            assert len(view.evidence(["a#0", "b#0"])) == 2
        points = Points(qdrant.url, "biblicus_context")
        every = [*points.all_of(("space", "kind", "write", "number"), namespace=namespace)]
        (head,) = every
        texts = [*points.all_of(("write", "number"), space=head["space"], kind="text")]
        named = {point_id(each["write"], "text", each["number"]) for each in texts}
        assert len(points.read(head["space"], named)) == 2
        assert len(points.read(head["space"], named, readers=reader_names(ANN))) == 1
        assert points.read("of another tenant", named) == {}
        points.close()
        with store.view(ANN) as view:
            assert [each.block.id for each in view.evidence(["a#0", "b#0"])] == ["b#0"]


@pytest.mark.parametrize("calls", sample(range(1, 16), of=2))
def test_a_writer_that_is_killed_at_any_call_loses_and_doubles_nothing(
    qdrant: QdrantServer, namespace: str, calls: int
):
    """Before and after each call of a write that puts, replaces and removes, another process goes on."""
    clock = Clock()
    points = MortalPoints(qdrant.url, "biblicus_context")
    batch = Batch(
        put=(entry("a", "new tea", vectors=[[1, 1]]), entry("late", "zebra", vectors=[[2, 1]])),
        remove=("b",),
    )
    with (
        opened(qdrant, namespace, clock, points) as store,
        opened(qdrant, namespace, clock) as other,
    ):
        store.write(INDEXER, put(entry("a", "old tea"), entry("b", "rye"), entry("c", "milk")))
        points.left = calls
        is_done = False
        try:
            store.write(INDEXER, batch, token="once")
            is_done = True
        except Killed:
            pass
        seen = sorted(ids(other, "new old rye milk zebra"))
        assert seen in (["a#0", "b#0", "c#0"], ["a#0", "c#0", "late#0"])
        assert not is_done or "late#0" in seen
        assert other.write(INDEXER, batch, token="once") == 2
        assert sorted(ids(other, "new old rye milk zebra")) == ["a#0", "c#0", "late#0"]
        with other.view(INDEXER) as view:
            assert view.version == 2
            assert view.info().documents == 3
        clock.pass_seconds(3601)
        other.vacuum()
        assert other.check() == ()
        assert sum("'kind': 'text'" in each for each in contents(qdrant, namespace)) == 3
        points.left = None


@pytest.mark.parametrize("calls", sample(range(1, 24), of=4))
def test_a_purge_that_is_killed_at_any_call_is_finished_by_another(
    qdrant: QdrantServer, namespace: str, calls: int
):
    clock = Clock()
    points = MortalPoints(qdrant.url, "biblicus_context")
    with (
        opened(qdrant, namespace, clock, points) as store,
        opened(qdrant, namespace, clock) as other,
    ):
        removing(store)
        points.left = calls
        with suppress(Killed):
            store.purge(INDEXER)
        points.left = None
        assert (ids(other, "zebra"), ids(other, "tea")) == ([], ["b#0", "d#0"])
        other.purge(INDEXER)
        assert not is_in(qdrant, namespace, "zebra")
        assert (ids(other, "zebra"), ids(other, "tea")) == ([], ["b#0", "d#0"])
        assert other.check() == ()


def test_a_server_that_dies_loses_and_doubles_nothing(namespace: str):
    with running_qdrant() as server, opened(server, namespace) as store:
        written = 0
        for kill in range(20 if NIGHTLY else 1):
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
    st.tuples(
        st.sampled_from(["put", "put", "hide", "remove", "purge", "use"]),
        st.sampled_from("abcd"),
        WORDS,
    ),
    min_size=1,
    max_size=8,
)
VIEWERS = (INDEXER, ANN, Principal("acme"))


def changed(store: Store, act: str, name: str, words: list[str]) -> object:
    """Do one step of a history."""
    if act == "purge":
        return store.purge(INDEXER)
    if act == "use":
        return store.record_usage(INDEXER, used=(f"{name}#0",), when=day(len(words)))
    if act == "remove":
        return store.write(INDEXER, Batch(remove=(name,)))
    vector = [[1.0 + len(words), float(ord(name) % 7)]]
    hidden = {"readers": ONLY_BOB} if act == "hide" else {}
    own = entry(name, " ".join(words), vectors=vector, kind=words[0], **hidden)
    return store.write(INDEXER, put(own))


def answers(store: Store, words: list[str]) -> list[object]:
    """What is found, and what is shown of it, by whom and under which filter."""
    found: list[object] = []
    for who in VIEWERS:
        with store.view(who) as view:
            for filters in (Filters(), Filters(kinds=frozenset(words[:1]))):
                hits = search_text(view, words, filters=filters)
                found += [hits, search_vectors(view, query(1, 2), filters=filters)]
                found.append(
                    [each.block.text for each in view.evidence([h.block_id for h in hits])]
                )
            found += [view.usage(["a#0", "b#0"]), view.info(), view.list_documents()]
    return found


@settings(max_examples=300 if NIGHTLY else 6)
@given(STEPS)
def test_order_and_scores_are_those_of_the_embedded_store_to_the_bit(
    qdrant: QdrantServer, steps: list[tuple[str, str, list[str]]]
):
    namespace = uuid4().hex
    with (
        TemporaryDirectory() as folder,
        open_store(Path(folder) / "store") as ours,
        opened(qdrant, namespace) as theirs,
        opened(qdrant, namespace) as other,
    ):
        for act, name, words in steps:
            assert changed(ours, act, name, words) == changed(theirs, act, name, words)
            expected = answers(ours, words)
            assert answers(theirs, words) == expected
            assert answers(other, words) == expected


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


def test_a_folder_is_no_place_of_qdrant():
    with pytest.raises(InputError, match="Qdrant keeps no store in a folder"):
        address_of("qdrant:notes", "kb")


def test_errors_hold_no_key(qdrant: QdrantServer):
    with pytest.raises(InputError) as error:
        open_qdrant("http://:hush@host:6334")
    assert "hush" not in str(error.value)
    with open_qdrant("qdrant://:hush@127.0.0.1:1") as store:
        assert "hush" not in repr(store)
        with pytest.raises(ContextError) as refused:
            store.write(Principal("acme"), put(entry("a", "one")))
        assert "hush" not in str(refused.value)


def test_a_collection_that_was_put_back_to_an_earlier_state_is_read_again(
    qdrant: QdrantServer, namespace: str
):
    """As a snapshot does: what a process knows of later commits is not true any more."""
    with opened(qdrant, namespace) as store:
        store.write(INDEXER, put(entry("a", "green tea")))
        points = Points(qdrant.url, "biblicus_context")
        (space,) = {
            each["space"] for each in points.all_of(("space",), kind="head", namespace=namespace)
        }
        before = [*points.all_of(("seq", "data"), kind="head", namespace=namespace)]
        store.write(INDEXER, Batch(remove=("a",)))
        assert ids(store, "tea") == []
        own = {"space": space, "kind": "head", "namespace": namespace, **before[0]}
        points.put([Point(head_id(space), own)])
        assert ids(store, "tea") == ["a#0"]
        points.close()


def test_stores_of_one_process_share_what_they_know(
    qdrant: QdrantServer, namespace: str, monkeypatch: pytest.MonkeyPatch
):
    with (
        open_qdrant(qdrant.url, namespace=namespace) as one,
        open_qdrant(qdrant.url, namespace=namespace) as other,
    ):
        one.write(INDEXER, put(entry("a", "green tea")))
        assert ids(one, "tea") == ["a#0"]
        one.close()
        asked = list[str]()
        answer = Points.answer

        def noted(points: Points, questions: Sequence[Any]) -> Sequence[Outcome]:
            asked.extend(id_ for each in questions for id_ in each.ids)
            return answer(points, questions)

        monkeypatch.setattr(Points, "answer", noted)
        assert ids(other, "tea") == ["a#0"]
        assert len(asked) == 1  # the head


def test_a_process_that_is_killed_while_it_writes_loses_and_doubles_nothing(
    qdrant: QdrantServer, namespace: str
):
    """Whatever it was told is there; of what it was doing, all or nothing."""
    told = 0
    for kill in range(40 if NIGHTLY else 2):
        command = [sys.executable, "-m", "tests.stores.qdrant_child", qdrant.url, namespace]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            until = told + 2 + kill % 7
            for line in child.stdout:
                told = int(line)
                if told >= until:
                    break
            child.kill()
            told = max([told, *map(int, child.stdout.read().split())])
        with opened(qdrant, namespace) as store, store.view(INDEXER) as view:
            assert told <= view.version <= told + 1
            told = view.version
            gone = {f"d{number - 3}" for number in range(5, told + 1, 5)}
            expected = {f"d{number}" for number in range(1, told + 1)} - gone
            assert {*view.fingerprints()} == expected
            assert len(search_text(view, ["tea"], limit=10_000)) == 2 * len(expected)
            assert len(search_vectors(view, query(1, 1), limit=10_000)) == 2 * len(expected)
            assert not gone or store.check() == ()


def test_embeddings_may_be_kept_in_files_of_the_machine(
    qdrant: QdrantServer, namespace: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """A process that begins maps them; what is newer comes from the server, and a purge removes them."""
    monkeypatch.setattr(matrix_files, "_LEAST_SAVED", 2)
    url = f"{qdrant.url}?cache={tmp_path / 'cache'}"
    with open_qdrant(url, namespace=namespace) as store:
        own = [entry(f"d{n}", "tea", vectors=[[n, 1.0]]) for n in range(8)]
        store.write(INDEXER, put(*own))
        with store.view(INDEXER) as view:
            first = search_vectors(view, query(1, 0), limit=20)
    assert [*(tmp_path / "cache").iterdir()]
    asked = list[int]()
    answer = Points.answer

    def noted(points: Points, questions: Sequence[Any]) -> Sequence[Outcome]:
        asked.append(len(questions))
        return answer(points, questions)

    monkeypatch.setattr(Points, "answer", noted)
    with open_qdrant(url, namespace=namespace) as store:
        with store.view(INDEXER) as view:
            assert search_vectors(view, query(1, 0), limit=20) == first
        assert len(asked) == 1  # the head alone, which has what was written last
        store.write(INDEXER, put(entry("late", "tea", vectors=[[1000.0, 1.0]])))
        with store.view(INDEXER) as view:
            assert search_vectors(view, query(1, 0), limit=20)[0].block_id == "late#0"
        store.write(INDEXER, Batch(remove=("d1",)))
        store.purge(INDEXER)
        assert [*(tmp_path / "cache").iterdir()] == []
        with store.view(INDEXER) as view:
            assert len(search_vectors(view, query(1, 0), limit=20)) == 8


@pytest.mark.parametrize("query", ["cache=here", "cach=/tmp", "cache=/a&b=c"])
def test_what_a_url_cannot_say_is_refused(query: str):
    with pytest.raises(InputError, match="the URL says what is not known"):
        open_qdrant(f"qdrant://localhost:6334?{query}")
