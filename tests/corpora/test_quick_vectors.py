"""Many new blocks are found at once, by quick vectors; those of the corpus' embedder follow.

The slow embedder is `granite`, as a user has it; texts are short, so that it takes a moment.
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from biblicus_context import ContextRetrieverRequest, Corpus, CorpusDeclaration, Record
from biblicus_context.corpora import ModelStore, RecordModel, index_store, quick_vectors
from biblicus_context.corpora.maintenance import account
from biblicus_context.embedders import (
    Embedder,
    FunctionEmbedder,
    GraniteEmbedder,
    Vectors,
    WordLlamaEmbedder,
    quick_embedder,
)
from biblicus_context.errors import InputError
from biblicus_context.ingest.summary import Progress
from biblicus_context.stores import Principal, Readers

GRANITE, QUICK = GraniteEmbedder.model, WordLlamaEmbedder.model
TOPICS = ("tea", "rust", "moss", "glue", "silk", "corn")
REFUND = "Customers who are unhappy get what they paid within five days."
QUESTION = "how long until I have my money back?"
CLEAR = "what do customers get who are unhappy?"
"""The same with words of the answer, so that quick vectors put it first."""


class Refund(RecordModel):
    """A text of a program."""

    id: str
    text: str


class Refunds(ModelStore[Refund]):
    """What the program keeps."""

    model = Refund


def notes(folder: Path, number: int = 150) -> Path:
    """More texts than a slow embedder embeds at once, one of which answers the question."""
    root = folder / "notes"
    root.mkdir()
    for each in range(number):
        text = f"Note {each} is about {TOPICS[each % len(TOPICS)]} and number {each * 7}."
        (root / f"{each:03}.txt").write_text(text)
    (root / "refund.txt").write_text(REFUND)
    return root


def opened(root: Path, embedder: Embedder | None = None) -> Corpus:
    return Corpus.open(root, embedder=embedder or GraniteEmbedder())


def rows(corpus: Corpus) -> dict[str, int]:
    return {name: count.rows for name, count in account(corpus).info.vectors.items()}


@pytest.fixture
def waiting(tmp_path: Path) -> Iterator[Corpus]:
    """A corpus all of whose blocks wait."""
    with opened(notes(tmp_path)) as corpus:
        assert corpus.ingest(at_once=0).waiting == 151
        yield corpus


def test_an_ingest_embeds_what_is_new_before_it_returns(tmp_path: Path) -> None:
    tasks: list[tuple[str, int, int]] = []
    with opened(notes(tmp_path)) as corpus:
        summary = corpus.ingest(lambda at: tasks.append((at.task, at.files, at.all_files)))
        assert (summary.embedded, summary.waiting) == (151, 0)
        assert rows(corpus) == {GRANITE: 151}
        assert corpus.ingest().embedded == 0
    embedding = [each for each in tasks if each[0] == "embedding"]
    assert tasks.index(embedding[0]) == len(tasks) - len(embedding)
    assert embedding[0] == ("embedding", 0, 151)
    assert embedding[-1] == ("embedding", 151, 151)


def test_it_can_be_searched_before_anything_slow_has_begun(tmp_path: Path) -> None:
    with opened(notes(tmp_path)) as corpus:

        def stop(at: Progress) -> None:
            if at.task == "embedding":
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            corpus.ingest(stop)
        assert not corpus.index.is_partial
        assert rows(corpus) == {QUICK: 151}
        assert corpus.search(QUESTION, limit=1)[0].source == "refund.txt"
        assert corpus.ingest().waiting == 0
        assert rows(corpus) == {GRANITE: 151}


def test_a_few_new_blocks_do_not_wait(tmp_path: Path) -> None:
    with opened(notes(tmp_path, 20)) as corpus:
        summary = corpus.ingest(at_once=0)
        assert (summary.embedded, summary.waiting) == (21, 0)
        assert rows(corpus) == {GRANITE: 21}


def test_of_more_blocks_than_wanted_the_rest_waits_for_the_next_ingest(tmp_path: Path) -> None:
    with opened(notes(tmp_path, 400)) as corpus:
        first = corpus.ingest(at_once=100)
        assert first.embedded >= 100
        assert first.waiting == 401 - first.embedded
        second = corpus.ingest(at_once=None)
        assert (second.embedded, second.waiting) == (first.waiting, 0)
        assert second.unchanged == 401


def test_a_query_finds_what_waits_as_if_it_had_its_vectors(waiting: Corpus) -> None:
    found = [each.source for each in waiting.search(QUESTION, limit=5)]
    by_vector = [e.source for e in waiting.search(QUESTION, limit=5, retriever_id="vector")]
    assert waiting.embed_waiting() == 0
    later = [each.source for each in waiting.search(QUESTION, limit=5)]
    later_by_vector = [
        each.source for each in waiting.search(QUESTION, limit=5, retriever_id="vector")
    ]
    assert found[0] == later[0] == by_vector[0] == later_by_vector[0] == "refund.txt"
    assert len({*by_vector} & {*later_by_vector}) >= 4


class Slow(GraniteEmbedder):
    """Takes so many seconds of processor for a text, by a clock that nothing else moves."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.seconds, self.now = seconds, 0.0
        self.embedded: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.now += self.seconds * len(texts)
        self.embedded += texts
        return super().embed(texts)

    def embed_query(self, text: str) -> Vectors:
        return GraniteEmbedder().embed_query(text)


def slowly(
    root: Path, monkeypatch: pytest.MonkeyPatch, seconds: float, asked_before: bool = True
) -> tuple[Corpus, Slow]:
    """A corpus that waits, with an embedder that takes its time."""
    slow = Slow(seconds)
    monkeypatch.setattr(quick_vectors, "process_time", lambda: slow.now)
    corpus = opened(root, slow)
    corpus.ingest(at_once=0)
    if asked_before:  # so that the embedder is measured
        corpus.search("moss and silk")
    slow.now, slow.embedded = 0.0, []
    return corpus, slow


@pytest.mark.parametrize("asked_before", [True, False])
@pytest.mark.parametrize(("seconds", "texts"), [(0.0, 100), (0.01, 50), (0.05, 10), (0.2, 2)])
def test_a_search_embeds_what_takes_half_a_second(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    seconds: float,
    texts: int,
    asked_before: bool,
) -> None:
    corpus, slow = slowly(notes(tmp_path, 400), monkeypatch, seconds, asked_before)
    with corpus:
        pack = corpus.retriever({"limit": 3})(ContextRetrieverRequest(query=CLEAR, limit=3))
    first = 8  # of an embedder that nobody has measured
    assert len(slow.embedded) == (texts if asked_before else max(texts, first))
    assert slow.now <= (0.51 if asked_before else max(0.51, first * seconds))
    assert f"this search embedded {len(slow.embedded)} of them" in pack.warnings[0]
    assert pack.blocks[0].evidence_item_id.startswith("refund.txt")


def test_of_an_embedder_that_is_too_slow_a_search_still_embeds_its_best_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus, slow = slowly(notes(tmp_path), monkeypatch, 60.0)
    with corpus:
        corpus.search(QUESTION)
        assert len(slow.embedded) == 1
        corpus.search(QUESTION)
        assert len(slow.embedded) == 2


@pytest.mark.parametrize("retriever_id", ["vector", "hybrid"])
def test_blocks_that_a_search_has_no_time_for_follow_those_that_it_embedded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, retriever_id: str
) -> None:
    corpus, slow = slowly(notes(tmp_path), monkeypatch, 0.07, asked_before=False)
    with corpus:
        found = corpus.search(CLEAR, limit=60, retriever_id=retriever_id)
    assert len(slow.embedded) == 8
    assert len(found) == 60
    assert found[0].source == "refund.txt"
    if retriever_id == "vector":
        scores = [each.score for each in found]
        assert scores == sorted(scores, reverse=True)
        texts = [each.block.text for each in found[:8]]
        assert all(any(text in own for own in slow.embedded) for text in texts)


def test_a_floor_takes_no_more_time_than_the_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus, slow = slowly(notes(tmp_path), monkeypatch, 0.1)
    with corpus:
        found = corpus.search(QUESTION, limit=60, min_score={"each": 0.01})
    assert len(slow.embedded) == 5
    assert found[0].source == "refund.txt"
    assert len(found) > 5  # the others are judged by their quick vectors


def test_to_store_what_a_search_made_nothing_more_is_embedded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "pages"
    root.mkdir()
    for each in range(26):
        parts = [
            f"## Part {n}\n\n{TOPICS[n % 6]} {each} {n} " + "and so on " * 60 for n in range(4)
        ]
        (root / f"{each:02}.md").write_text("\n\n".join(parts))
    (root / "refund.txt").write_text(REFUND)
    corpus, slow = slowly(root, monkeypatch, 0.05, asked_before=False)
    with corpus:
        assert rows(corpus).keys() == {QUICK}
        corpus.search(QUESTION)
        assert len(slow.embedded) <= 10
        assert rows(corpus)[GRANITE] >= 1  # a document of one block is complete


def test_what_a_query_made_is_stored_and_is_not_made_again(
    waiting: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quick_vectors, "process_time", lambda: 0.0)
    waiting.search(QUESTION)
    stored = rows(waiting)
    assert stored == {GRANITE: 100, QUICK: 51}
    waiting.search(QUESTION)
    assert rows(waiting) == stored
    assert waiting.embed_waiting() == 0


def test_a_floor_compares_what_waits_by_its_own_vectors(waiting: Corpus) -> None:
    floor = {"each": 0.5}
    before = [each.source for each in waiting.search(QUESTION, min_score=floor)]
    waiting.embed_waiting()
    assert before == [each.source for each in waiting.search(QUESTION, min_score=floor)]


def test_the_receipt_says_that_blocks_wait_until_they_do_not(waiting: Corpus) -> None:
    retriever = waiting.retriever({"retriever_id": "hybrid"})
    (warning,) = retriever(ContextRetrieverRequest(query=QUESTION, limit=3)).warnings
    assert "151 blocks of corpus 'notes' have only quick vectors so far" in warning
    assert "biblicus-context index" in warning
    waiting.embed_waiting()
    assert retriever(ContextRetrieverRequest(query=QUESTION, limit=3)).warnings == []


def test_a_search_by_words_says_nothing_of_vectors(waiting: Corpus) -> None:
    waiting.search(QUESTION)
    retriever = waiting.retriever({"retriever_id": "keyword"})
    assert retriever(ContextRetrieverRequest(query="tea", limit=3)).warnings == []


def test_an_index_of_the_earlier_default_keeps_working_and_gets_better(tmp_path: Path) -> None:
    root = notes(tmp_path)
    with opened(root, WordLlamaEmbedder()) as corpus:
        corpus.ingest()
        assert rows(corpus) == {QUICK: 151}
    with opened(root) as corpus:
        retriever = corpus.retriever({"retriever_id": "hybrid"})
        pack = retriever(ContextRetrieverRequest(query=QUESTION, limit=3))
        assert pack.blocks[0].evidence_item_id.startswith("refund.txt")
        assert "Run: biblicus-context index" in pack.warnings[0]
        assert corpus.ingest().waiting == 0
        assert rows(corpus) == {GRANITE: 151}


def test_records_of_the_earlier_default_wait_and_new_ones_do_not(tmp_path: Path) -> None:
    with Corpus.open_records(tmp_path, embedder=WordLlamaEmbedder()) as records:
        records.put([Record(id="refund", text=REFUND)])
    with Corpus.open_records(tmp_path, embedder=GraniteEmbedder()) as records:
        records.put([Record(id=str(n), text=f"Tea number {n} is hot.") for n in range(5)])
        assert rows(records) == {GRANITE: 5, QUICK: 1}
        assert records.search(QUESTION)[0].document.id == "refund"
        assert rows(records) == {GRANITE: 6}


class Instant(GraniteEmbedder):
    """As if it were slow, for tests of what waits and not of what is found."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        rows[:, 0] = 1.0
        return rows


def memories(number: int, start: int = 0) -> list[Record]:
    return [
        Record(id=f"m{each:04}", text=f"Memory {each} is about {TOPICS[each % 6]}.")
        for each in range(start, start + number)
    ]


def test_of_many_records_some_wait_and_all_are_found(tmp_path: Path) -> None:
    with Corpus.open_records(tmp_path, embedder=GraniteEmbedder()) as records:
        many = [*memories(150), Record(id="refund", text=REFUND)]
        summary = records.put_many(many, at_once=120)
        assert (summary.records, summary.embedded, summary.waiting) == (151, 0, 151)
        assert rows(records) == {QUICK: 151}
        assert records.search(CLEAR, limit=1)[0].document.id == "refund"
        assert records.embed_waiting() == 0
        assert rows(records) == {GRANITE: 151}


def test_records_are_embedded_at_once_up_to_a_number_for_the_whole_call(tmp_path: Path) -> None:
    with Corpus.open_records(tmp_path, embedder=Instant()) as records:
        summary = records.put_many(iter(memories(2_400)), at_once=1_500)
        assert (summary.embedded, summary.waiting) == (1_000 + 400, 1_000)
        assert rows(records) == {GRANITE: 1_400, QUICK: 1_000}


@pytest.mark.parametrize("at_once", [None, 2_000])
def test_records_that_take_less_than_half_a_minute_do_not_wait(
    tmp_path: Path, at_once: int | None
) -> None:
    with Corpus.open_records(tmp_path, embedder=Instant()) as records:
        summary = records.put(memories(150), at_once=at_once)
        assert (summary.embedded, summary.waiting) == (150, 0)
        again = records.put(memories(150), at_once=0)
        assert (again.reused, again.waiting) == (150, 0)


def test_one_batch_of_many_records_is_written_whole(tmp_path: Path) -> None:
    with Corpus.open_records(tmp_path, embedder=Instant()) as records:
        before = records.put(memories(1)).version
        summary = records.put(memories(150, 1), remove=["m0000"], at_once=0)
        assert (summary.version, summary.waiting) == (before + 1, 150)
        assert rows(records) == {QUICK: 150}


def test_the_models_of_a_program_wait_where_there_are_thousands(tmp_path: Path) -> None:
    store = Refunds.open(tmp_path, embedder=Instant())
    many = [Refund(id=f"r{n}", text=f"Refund {n} is paid.") for n in range(2_050)]
    asyncio.run(store.put(many, "acme"))
    assert rows(store.of("acme")) == {QUICK: 2_050}
    assert asyncio.run(store.embed_waiting("acme", 10)) < 2_050
    store.close()


def test_blocks_with_readers_are_embedded_whoever_asks_and_stay_theirs(tmp_path: Path) -> None:
    ann, bob = (Principal("w", user=name) for name in ("ann", "bob"))
    quick, slow = WordLlamaEmbedder(), GraniteEmbedder()
    with Corpus.open_records(tmp_path, principal=ann, embedder=quick) as records:
        records.put([Record(id="refund", text=REFUND, readers=Readers(users=frozenset({"ann"})))])
    with Corpus.open_records(tmp_path, principal=bob, embedder=slow) as records:
        assert records.embed_waiting() == 0
        assert records.search(QUESTION) == []
        assert records.for_principal(ann).search(QUESTION)[0].document.id == "refund"


def test_what_others_write_while_it_embeds_is_not_written_over(tmp_path: Path) -> None:
    class Slow(GraniteEmbedder):
        def embed(self, texts):  # type: ignore[no-untyped-def]
            writer.put([Record(id="refund", text="There are no refunds.")])
            return super().embed(texts)

    with Corpus.open_records(tmp_path, embedder=WordLlamaEmbedder()) as writer:
        writer.put([Record(id="refund", text=REFUND), Record(id="tea", text="Tea is hot.")])
        with Corpus.open_records(tmp_path, embedder=Slow()) as records:
            assert records.embed_waiting() == 1
            assert records.get(["refund"])[0].text == "There are no refunds."
            assert rows(records) == {GRANITE: 1, QUICK: 1}


def test_it_can_run_in_a_thread_while_others_search(waiting: Corpus) -> None:
    thread = threading.Thread(target=waiting.embed_waiting)
    thread.start()
    best = {waiting.search(QUESTION, limit=1)[0].source for _ in range(20)}
    thread.join()
    assert best == {"refund.txt"}
    assert rows(waiting) == {GRANITE: 151}


def test_what_is_made_for_a_query_in_a_store_that_cannot_be_written_is_used(
    waiting: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> int:
        raise sqlite3.OperationalError("attempt to write a readonly database")

    waiting.search(QUESTION, retriever_id="keyword")
    monkeypatch.setattr("biblicus_context.stores.sqlite.source.writer.write", refuse)
    assert waiting.search(QUESTION, limit=1)[0].source == "refund.txt"
    assert rows(waiting) == {QUICK: 151}
    assert waiting.search(QUESTION, limit=1)[0].source == "refund.txt"


@pytest.mark.parametrize("embedder", [GraniteEmbedder(), WordLlamaEmbedder()], ids=[GRANITE, QUICK])
def test_what_has_no_vector_at_all_does_not_wait_and_the_receipt_says_so(
    tmp_path: Path, embedder: Embedder
) -> None:
    plain = CorpusDeclaration(name="plain", config={"store": str(tmp_path), "embedder": None})
    with Corpus.open(plain) as records:
        records.put([Record(id="tea", text="Tea is hot.")])
    request = ContextRetrieverRequest(query="hot tea", limit=3)
    with Corpus.open_records(tmp_path, embedder=embedder) as records:
        records.put([Record(id="refund", text=REFUND)])
        for kind in ("hybrid", "vector"):
            (warning,) = records.retriever({"retriever_id": kind})(request).warnings
            assert "1 block of corpus" in warning
            assert f"no vector of its embedder '{embedder.model}'" in warning
        assert records.retriever({"retriever_id": "keyword"})(request).warnings == []
        assert rows(records) == {embedder.model: 1}
        assert records.embed_waiting() == 0
        assert rows(records) == {embedder.model: 2}
        assert records.retriever({"retriever_id": "hybrid"})(request).warnings == []


def test_the_models_of_a_program_wait_as_its_records_do(tmp_path: Path) -> None:
    before = Refunds.open(tmp_path, embedder=WordLlamaEmbedder())
    asyncio.run(before.put([Refund(id="refund", text=REFUND)], "acme"))
    before.close()
    store = Refunds.open(tmp_path, embedder=GraniteEmbedder())
    assert asyncio.run(store.embed_waiting("acme")) == 0
    assert rows(store.of("acme")) == {GRANITE: 1}
    (found,) = asyncio.run(store.search(QUESTION, "acme"))
    assert found.model.id == "refund"
    store.close()


def test_only_slow_embedders_of_wheels_need_a_quick_one(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(quick_embedder(GraniteEmbedder()), WordLlamaEmbedder)
    own = FunctionEmbedder(lambda t: [[1.0]] * len(t), model="own", dimensions=1)
    assert (
        quick_embedder(own) is quick_embedder(WordLlamaEmbedder()) is quick_embedder(None) is None
    )
    monkeypatch.setattr(WordLlamaEmbedder, "is_installed", staticmethod(lambda: False))
    assert quick_embedder(GraniteEmbedder()) is None


def test_without_the_quick_one_all_is_embedded_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_store, "quick_embedder", lambda _: None)
    with opened(notes(tmp_path)) as corpus:
        assert (corpus.ingest(at_once=0).embedded, rows(corpus)) == (151, {GRANITE: 151})


@pytest.mark.parametrize("number", [-1, 1.5, "all", True])
def test_a_number_of_blocks_is_checked(tmp_path: Path, number: object) -> None:
    root = notes(tmp_path, 1)
    with opened(root) as corpus:
        with pytest.raises(InputError, match="at_once"):
            corpus.ingest(at_once=number)  # type: ignore[arg-type]
        with pytest.raises(InputError, match="most"):
            corpus.embed_waiting(number)  # type: ignore[arg-type]
    with Corpus.open_records(tmp_path / "records") as records:
        with pytest.raises(InputError, match="at_once"):
            records.put([], at_once=number)  # type: ignore[arg-type]
        with pytest.raises(InputError, match="at_once"):
            records.put_many([], at_once=number)  # type: ignore[arg-type]
