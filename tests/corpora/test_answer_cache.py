"""Remembered answers: quick, bounded, never of another, never from before a write."""

from __future__ import annotations

import gc
from base64 import b64encode
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest

from biblicus_context import Record
from biblicus_context.corpora import Corpus
from biblicus_context.corpora.answer_cache import AnswerCache, MemoryAnswerCache
from biblicus_context.corpora.retriever import CorpusRetriever
from biblicus_context.corpora.stored_answers import StoredAnswerCache
from biblicus_context.embedders import WordLlamaEmbedder
from biblicus_context.errors import PlanError
from biblicus_context.retrieval.packs.facts import facts_of
from biblicus_context.retrieval.requests.request import ContextRetrieverRequest
from biblicus_context.spec.corpus import CorpusDeclaration
from biblicus_context.stores import (
    Batch,
    Block,
    Document,
    Entry,
    Principal,
    Readers,
    Store,
    StoreError,
    key_start,
)
from biblicus_context.stores.sqlite.source import SqliteSource
from biblicus_context.testing.memory_store import InMemoryStore
from tests.corpora.searching import ask, paths

ANN, BOB = Principal("local", user="ann"), Principal("local", user="bob")


@pytest.fixture
def notes(tmp_path: Path) -> Iterator[Corpus]:
    root = tmp_path / "notes"
    root.mkdir()
    (root / "tea.md").write_text("Green tea is brewed for two minutes.", "utf-8")
    (root / "bread.md").write_text("Rye bread rests for a night.", "utf-8")
    with Corpus.open(root, embedder=WordLlamaEmbedder()) as corpus:
        corpus.ingest()
        yield corpus


def texts(retriever: CorpusRetriever, query: str, **limits: Any) -> list[str]:
    pack = retriever(ContextRetrieverRequest(query=query, **{"limit": 5, **limits}))
    return [block.text for block in pack.blocks]


def counts(retriever: CorpusRetriever) -> tuple[int, int]:
    assert retriever.answers is not None
    return retriever.answers.counts.hits, retriever.answers.counts.misses


def test_the_same_request_is_answered_once(notes: Corpus):
    cached, plain = notes.retriever({"cache": {}}), notes.retriever({})
    for query in ("green tea", "green tea", "bread"):
        assert texts(cached, query) == texts(plain, query)
    assert counts(cached) == (1, 2)
    assert cached.answers is not None
    assert cached.answers.counts.hit_rate == pytest.approx(1 / 3)


def test_a_remembered_answer_carries_the_facts_of_the_first(notes: Corpus):
    cached = notes.retriever({"cache": {}})
    first, again = (
        cached(ContextRetrieverRequest(query="green tea", limit=5)).blocks for _ in range(2)
    )
    assert counts(cached) == (1, 1)
    assert [*map(facts_of, again)] == [*map(facts_of, first)]
    assert [facts_of(block).path for block in again] == ["tea.md", "bread.md"]


@pytest.mark.parametrize(
    "settings",
    [
        {"retriever_id": "activity"},
        {"retriever_id": "recent", "rank": "affinity"},
        {"retriever_id": "recent", "rank": {"liked": {"type": "affinity", "viewed": 0.9}}},
    ],
)
def test_what_the_user_does_is_never_missed(notes: Corpus, settings: dict[str, Any]):
    """Also if it is recorded late, as done before something that is known."""
    mine = notes.for_principal(ANN)
    cached, plain = mine.retriever({**settings, "cache": {}}), mine.retriever(settings)
    now = datetime.now(UTC)
    for hours, name in ((1, "bread.md"), (2, "tea.md"), (0, "tea.md")):
        notes.for_principal(BOB).record_activity(name, "edit", now)
        mine.record_activity(name, "view" if hours else "edit", now - timedelta(hours=hours))
        expected = texts(plain, "?")
        assert texts(cached, "?") == texts(cached, "?") == expected
    assert counts(cached) == (3, 3)


def test_an_index_without_its_embedder_has_answers_of_its_own(notes: Corpus):
    store, shared = InMemoryStore(), MemoryAnswerCache(10)
    both = Corpus.open_records(store, embedder=WordLlamaEmbedder())
    both.put([Record(id="tea", text="Green tea is brewed for two minutes.")])
    declared = CorpusDeclaration(name="records", config={"store": "records", "embedder": None})
    for corpus in (both, Corpus.open(declared, store=store)):
        cached = corpus.retriever({"cache": {}}, answer_cache=shared)
        texts(cached, "beverage")
        assert counts(cached) == (0, 1)


def test_another_limit_or_another_setting_is_another_request(notes: Corpus):
    shared = MemoryAnswerCache(10)
    one = notes.retriever({"cache": {}}, answer_cache=shared)
    other = notes.retriever({"cache": {}, "filters": {"path": "bread*"}}, answer_cache=shared)
    assert len(texts(one, "tea bread", limit=1)) == 1
    assert len(texts(one, "tea bread", limit=2)) == 2
    assert texts(other, "tea bread") == ["Rye bread rests for a night."]


def test_a_write_is_never_missed(notes: Corpus):
    cached = notes.retriever({"cache": {"ttl_seconds": 3600}})
    assert not any("Black" in text for text in texts(cached, "black tea"))
    (notes.root / "black.md").write_text("Black tea takes four minutes.", "utf-8")
    notes.ingest()
    assert any("Black" in text for text in texts(cached, "black tea"))
    (notes.root / "black.md").unlink()
    notes.ingest()
    assert not any("Black" in text for text in texts(cached, "black tea"))


def test_nobody_gets_the_answer_of_another(notes: Corpus):
    block = Block(id="s#0", document_id="s", position=0, text="Secret tea of Ann.", tokens=5)
    secret = Document(id="s", readers=Readers(users=frozenset({"ann"})))
    shared = MemoryAnswerCache(10)
    with (
        Corpus.open(notes.root, principal=ANN) as anns,
        Corpus.open(notes.root, principal=BOB) as bobs,
    ):
        anns.store.write(ANN, Batch(put=(Entry(secret, (block,)),)))
        for corpus, sees in ((anns, True), (bobs, False), (anns, True), (bobs, False)):
            keyword = {"retriever_id": "keyword", "cache": {}}
            found = texts(corpus.retriever(keyword, answer_cache=shared), "secret tea")
            assert ("Secret tea of Ann." in found) is sees


def test_a_job_that_sees_all_and_a_user_without_a_name_have_answers_of_their_own(notes: Corpus):
    block = Block(id="s#0", document_id="s", position=0, text="Secret tea of Ann.", tokens=5)
    secret = Document(id="s", readers=Readers(users=frozenset({"ann"})))
    shared = MemoryAnswerCache(10)
    job, nobody = Principal("local", sees_all=True), Principal("local")
    with (
        Corpus.open(notes.root, principal=job) as jobs,
        Corpus.open(notes.root, principal=nobody) as nobodys,
    ):
        jobs.store.write(job, Batch(put=(Entry(secret, (block,)),)))
        for corpus, sees in ((jobs, True), (nobodys, False), (jobs, True)):
            keyword = {"retriever_id": "keyword", "cache": {}}
            found = texts(corpus.retriever(keyword, answer_cache=shared), "secret tea")
            assert ("Secret tea of Ann." in found) is sees


def test_a_remembered_answer_is_the_whole_answer(notes: Corpus):
    (notes.root / "again.md").write_text("Rye bread rests for a night!", "utf-8")
    notes.ingest()
    cached = notes.retriever({"cache": {}, "dedupe": {}})
    for request in (
        ContextRetrieverRequest(query="tea bread", limit=1),
        ContextRetrieverRequest(query="bread", limit=5),
    ):
        assert cached(request) == cached(request)
    assert cached(ContextRetrieverRequest(query="tea bread", limit=1)).more
    assert counts(cached) == (3, 2)


def test_a_similar_query_takes_the_answer_of_the_first(notes: Corpus):
    cached = notes.retriever({"cache": {"similar": 0.9}})
    first = texts(cached, "How long is green tea brewed?")
    assert texts(cached, "how long is green tea brewed") == first
    texts(cached, "Where does bread rest?")
    assert counts(cached) == (1, 2)
    assert cached.answers is not None
    assert cached.answers.counts.similar == 1


def test_answers_are_forgotten_after_their_time_beyond_their_number_and_on_demand(notes: Corpus):
    now = [0.0]
    cache = MemoryAnswerCache(2, clock=lambda: now[0])
    cached = notes.retriever({"cache": {"ttl_seconds": 60}}, answer_cache=cache)
    for seconds, hits in ((0, 0), (59, 1), (61, 1)):
        now[0] = seconds
        texts(cached, "tea")
        assert counts(cached)[0] == hits
    texts(cached, "bread")
    texts(cached, "rye")  # the third: "tea" makes way
    texts(cached, "tea")
    assert counts(cached)[0] == 1
    assert cached.answers is not None
    assert cached.answers.invalidate("t*") == 1
    texts(cached, "tea")
    assert counts(cached)[0] == 1


@pytest.mark.parametrize("kind", [MemoryAnswerCache, StoredAnswerCache])
def test_only_a_star_is_a_sign_in_a_pattern(kind: Any, tmp_path: Path):
    memory = kind is MemoryAnswerCache
    cache = MemoryAnswerCache(9) if memory else kind(Corpus.open_records(tmp_path / "kept"))
    for key in ("t[1]/When?", "t1/Whenx", "T1/When?", "line\nnext/*"):
        cache.put(key, b"1", 60)
    assert cache.invalidate("*n?") == 2
    assert cache.invalidate("t[1]*") == 0
    cache.put("t[1]/When?", b"1", 60)
    assert cache.invalidate("t[1]*") == 1
    assert cache.invalidate("line*/*") == 1
    assert cache.invalidate("*") == 1


def test_bytes_of_a_shared_cache_that_are_no_answer_are_ignored(notes: Corpus):
    cache = MemoryAnswerCache(2)
    cache.get = lambda key: b"{]"  # type: ignore[method-assign] # what somebody else wrote
    assert texts(notes.retriever({"cache": {}}, answer_cache=cache), "tea")


def test_a_plan_says_what_is_remembered_and_a_wrong_setting_is_refused(notes: Corpus):
    result = ask(notes.root, "tea", {"cache": {"ttl_seconds": 60, "max_entries": 5}})
    assert paths(result)[0] == "tea.md"
    with pytest.raises(PlanError, match="cache"):
        notes.retriever({"cache": {"ttl": 5}})


SECRET: Final = "The xylophone stays in the cellar."
REMOVALS: Final[dict[str, Callable[[Corpus], object]]] = {
    "remove": lambda corpus: corpus.remove(["x"]),
    "update": lambda corpus: corpus.update("x", text="Another text."),
    "put": lambda corpus: corpus.put([Record(id="x", text="Another text.")]),
    "clear": lambda corpus: corpus.clear(),
}


def remembered_records(folder: Path, cache: AnswerCache | None) -> tuple[Corpus, CorpusRetriever]:
    """A corpus of which somebody was answered with the text that is about to go."""
    corpus = Corpus.open_records(folder, embedder=None)
    corpus.put([Record(id="x", text=SECRET), Record(id="y", text="Green tea.")])
    retriever = corpus.retriever({"retriever_id": "keyword", "cache": {}}, answer_cache=cache)
    assert SECRET in retriever(ContextRetrieverRequest(query="xylophone")).text
    return corpus, retriever


def is_in_files(folder: Path) -> bool:
    # In base64 it looks different at each of three places.
    coded = [b64encode(b" " * shift + SECRET.encode())[4:-4] for shift in range(3)]
    needles = (SECRET.encode(), b"xylophone", *coded)
    files = [each.read_bytes() for each in folder.rglob("*") if each.is_file()]
    return any(needle in data for needle in needles for data in files)


@pytest.mark.parametrize("removal", REMOVALS)
@pytest.mark.parametrize("of", ["this store", "another store"])
def test_what_is_removed_is_in_no_value_of_a_stored_cache(tmp_path: Path, removal: str, of: str):
    folder = tmp_path / ("memories" if of == "this store" else "answers")
    kept = Corpus.open_records(folder, embedder=None)
    corpus, _retriever = remembered_records(tmp_path / "memories", StoredAnswerCache(kept))
    assert is_in_files(tmp_path)
    REMOVALS[removal](corpus)
    assert not is_in_files(tmp_path)


@pytest.mark.parametrize("removal", REMOVALS)
def test_a_program_that_knows_no_cache_forgets_the_values_in_its_store(
    tmp_path: Path, removal: str
):
    corpus, retriever = remembered_records(
        tmp_path, StoredAnswerCache(Corpus.open_records(tmp_path, embedder=None))
    )
    corpus.close()
    del corpus, retriever
    gc.collect()  # it is as if another process had remembered
    with Corpus.open_records(tmp_path, embedder=None) as other:
        REMOVALS[removal](other)
        assert not is_in_files(tmp_path)


@pytest.mark.parametrize("removal", REMOVALS)
def test_what_is_removed_is_in_no_value_in_memory(tmp_path: Path, removal: str):
    cache = MemoryAnswerCache(100)
    corpus, retriever = remembered_records(tmp_path, cache)
    other = Corpus.open_records(tmp_path, embedder=None)  # of the same files
    stranger = other.for_principal(Principal("other"))
    stranger.put([Record(id="x", text=SECRET)])
    kept = stranger.retriever({"retriever_id": "keyword", "cache": {}}, answer_cache=cache)
    kept(ContextRetrieverRequest(query="xylophone"))
    REMOVALS[removal](other)
    assert cache.invalidate(f"{key_start('local')}*") == 0
    assert cache.invalidate(f"{key_start('other')}*") == 1
    assert SECRET not in retriever(ContextRetrieverRequest(query="xylophone")).text
    corpus.close()


def test_a_process_that_is_killed_after_it_removed_leaves_no_answer(tmp_path: Path):
    """Answers are forgotten before as well."""
    cache = StoredAnswerCache(Corpus.open_records(tmp_path / "answers", embedder=None))
    corpus, _retriever = remembered_records(tmp_path / "memories", cache)

    class Dying(SqliteSource):
        """One whose process ends as soon as the removal is durable."""

        def apply(self, *args: Any, **how: Any) -> Any:
            super().apply(*args, **how)
            raise KeyboardInterrupt

    source = corpus.store.source
    assert isinstance(source, SqliteSource)
    with pytest.raises(KeyboardInterrupt):
        Store(Dying(source.folder, 0.001)).write(corpus.principal, Batch(remove=("x",)))
    assert not is_in_files(tmp_path / "answers")


def test_what_only_adds_forgets_no_answer(tmp_path: Path):
    cache = MemoryAnswerCache(100)
    corpus, retriever = remembered_records(tmp_path, cache)
    corpus.put([Record(id="new", text="Black tea.")])
    assert cache.invalidate("*") == 1
    assert retriever.answers is not None


def test_an_ingest_that_changes_nothing_forgets_no_answer(notes: Corpus):
    cache = MemoryAnswerCache(100)
    search = notes.retriever({"cache": {}}, answer_cache=cache)
    texts(search, "tea")
    notes.ingest()
    texts(search, "tea")
    assert search.answers is not None
    assert search.answers.counts.hits == 1
    (Path(str(notes.root)) / "tea.md").write_text("Black tea.", "utf-8")
    notes.ingest()
    assert cache.invalidate("*") == 0


def test_an_answer_that_is_made_while_its_text_is_removed_is_not_remembered(tmp_path: Path):
    class Late(MemoryAnswerCache):
        """Puts what was computed after it was removed."""

        def put(self, key: str, value: bytes, seconds: float) -> None:
            corpus.remove(["x"])
            super().put(key, value, seconds)

    corpus = Corpus.open_records(tmp_path, embedder=None)
    corpus.put([Record(id="x", text=SECRET), Record(id="y", text="Green tea.")])
    cache = Late(100)
    retriever = corpus.retriever({"retriever_id": "keyword", "cache": {}}, answer_cache=cache)
    assert SECRET in retriever(ContextRetrieverRequest(query="xylophone")).text
    assert cache.invalidate("*") == 0


def test_a_cache_that_fails_to_forget_is_named_and_asked_again(tmp_path: Path):
    class Down(MemoryAnswerCache):
        is_up = False

        def invalidate(self, pattern: str) -> int:
            if not self.is_up:
                raise ConnectionError("redis://user:secret@cache.example")
            return super().invalidate(pattern)

    cache = Down(100)
    corpus, _retriever = remembered_records(tmp_path, cache)
    assert corpus.remove(["x"]).remembered_in == ("Down",)
    with pytest.raises(StoreError, match="Down: the answers that may have what was removed"):
        corpus.purge()
    cache.is_up = True
    corpus.purge()
    assert corpus.remove(["x"]).remembered_in == ()
    assert cache.invalidate("*") == 0
