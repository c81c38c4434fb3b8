"""A folder becomes a corpus that can be searched."""

from __future__ import annotations

import gc
from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from weakref import ref

import pytest

from biblicus_context.corpora import Corpus, NotIndexedError
from biblicus_context.corpora.index_location import store_of
from biblicus_context.corpora.staleness import measure_staleness
from biblicus_context.embedders import FunctionEmbedder
from biblicus_context.errors import InputError, PlanError
from biblicus_context.ingest import Content, Parsed, Section
from biblicus_context.spec.corpus import CorpusDeclaration
from biblicus_context.stores import Batch, Entry, Principal, Readers
from biblicus_context.testing.store_samples import seen


def test_what_was_ingested_is_found_with_its_place(notes: Corpus):
    best = notes.search("How hot is the water for green tea?")[0]
    assert best.source == "tea.md"
    assert "80 degrees" in best.block.text
    assert best.block.lines is not None
    assert best.document.title == "Tea"


def test_a_corpus_is_called_like_its_folder_and_keeps_its_store_beside_it(root: Path):
    with Corpus.open(root) as corpus:
        assert corpus.name == "notes"
        assert corpus.place == root.parent / ".biblicus-context" / "notes"
        corpus.ingest()
    assert corpus.place.is_dir()


def test_a_second_ingest_reads_only_what_changed(root: Path):
    with Corpus.open(root) as corpus:
        corpus.ingest()
        (root / "bread.md").write_text("# Bread\n\nWheat bread keeps for a day.\n", "utf-8")
        (root / "tea.md").unlink()
        summary = corpus.ingest()
        assert (summary.changed, summary.removed) == (("bread.md",), ("tea.md",))
        assert all(each.source != "tea.md" for each in corpus.search("green tea"))


def test_a_caller_hands_in_an_embedder_and_readers(root: Path):
    (root / "list.shopping").write_text("milk,flour", "utf-8")

    def letters(texts: list[str]) -> list[list[float]]:
        return [[float("milk" in text), 1.0] for text in texts]

    def shopping(content: Content) -> Parsed:
        items = content.text().split(",")
        return Parsed("shopping", tuple(Section(each, kind="record") for each in items))

    corpus = Corpus.open(
        root,
        embedder=FunctionEmbedder(letters, model="letters", dimensions=2),
        readers={".shopping": shopping},
    )
    with corpus:
        corpus.ingest()
        assert seen(corpus.store, corpus.principal).info().vectors.keys() == {"letters"}
        best = corpus.search("milk", retriever_id="vector")[0]
        assert (best.document.kind, best.block.text) == ("shopping", "milk")
        assert measure_staleness(corpus) == (0, 0, 0)


def test_a_function_is_not_an_embedder(root: Path):
    with pytest.raises(InputError, match=r"embedder: .*Pass FunctionEmbedder"):
        Corpus.open(root, embedder=len)  # type: ignore[arg-type] # a mistake


def test_a_corpus_says_what_it_is(root: Path):
    corpus = Corpus.open(root)
    assert repr(corpus) == f"Corpus('notes', root={str(root)!r})"
    assert repr(corpus.retriever()) == "CorpusRetriever('hybrid', corpus='notes')"


def test_a_corpus_never_indexed_says_what_to_run(root: Path):
    with pytest.raises(NotIndexedError) as refused:
        Corpus.open(root).search("tea")
    assert str(refused.value) == (
        f"corpus 'notes' has never been indexed. Run: biblicus-context index {root} --corpus notes"
    )
    assert not (root.parent / ".biblicus-context").exists()


def test_a_closed_corpus_opens_again_when_it_is_searched(root: Path):
    corpus = Corpus.open(root)
    corpus.ingest()
    corpus.close()
    corpus.close()
    assert corpus.search("rye")[0].source == "bread.md"
    corpus.close()


def test_an_index_that_was_deleted_is_made_again_by_who_had_it_open(root: Path):
    with Corpus.open(root) as corpus:
        added = corpus.ingest().added
        rmtree(corpus.place)
        with pytest.raises(NotIndexedError):
            corpus.search("tea")
        assert corpus.ingest().added == added
        with Corpus.open(root) as other:
            assert other.search("green tea")[0].source == "tea.md"


def test_a_retriever_forgets_what_it_found_in_an_index_that_was_made_anew(root: Path):
    with Corpus.open(root) as corpus:
        corpus.ingest()
        retriever = corpus.retriever()
        before = retriever.evidence("green tea", offset=0, limit=5)
        rmtree(corpus.place)
        (root / "tea.md").write_text("# Tea\n\nGreen tea wants a porcelain pot.\n", "utf-8")
        with Corpus.open(root) as other:
            other.ingest()
            after = other.search("green tea", limit=5)
            assert corpus.index.state.version == other.index.state.version
        found = retriever.evidence("green tea", offset=0, limit=5)
        assert [each.block for each in found] == [each.block for each in after]
        assert found[0].block != before[0].block


def test_a_query_is_embedded_once_however_often_it_is_searched(root: Path):
    with Corpus.open(root) as corpus:
        corpus.ingest()
        corpus.search("green tea", limit=1)
        corpus.search("green tea", limit=1, offset=1)
        corpus.search("green tea", retriever_id="vector")
        asking = corpus.query_embedder
    assert asking is not None
    assert (asking.statistics.hits, asking.statistics.misses) == (2, 1)


def test_a_corpus_that_is_opened_again_and_again_keeps_none_of_its_stores(root: Path):
    corpus = Corpus.open(root)
    corpus.ingest()
    stores = []
    for _ in range(3):
        stores.append(ref(corpus.store))
        corpus.close()
    gc.collect()
    assert [store() for store in stores] == [None, None, None]


def test_a_search_leaves_no_cycles_for_the_garbage_collector(notes: Corpus):
    """A full collection takes as long as many searches."""
    assert len(notes.search("tea")) > 1
    gc.collect()
    gc.disable()
    try:
        notes.search("water", limit=3)
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_another_workspace_sees_nothing(root: Path):
    with Corpus.open(root, principal=Principal("acme")) as corpus:
        corpus.ingest()
    with Corpus.open(root, principal=Principal("other")) as corpus:
        for retriever in ("hybrid", "keyword", "fuzzy", "vector", "recent"):
            assert corpus.search("rye bread", retriever_id=retriever) == []


def test_a_document_that_only_some_may_read_is_indexed_again_for_them(root: Path):
    everything = Principal("local", sees_all=True)
    with Corpus.open(root) as corpus:
        corpus.ingest()
        (tea,) = seen(corpus.store, everything).documents(["tea.md"])
        hidden = replace(tea, readers=Readers(users=frozenset({"ann"})))
        corpus.store.write(everything, Batch(put=(Entry(hidden),)))
        assert corpus.ingest().changed == ()
        (root / "tea.md").write_text("# Tea\n\nGreen tea wants a porcelain pot.\n", "utf-8")
        assert corpus.ingest().changed == ("tea.md",)
        assert all(each.source != "tea.md" for each in corpus.search("green tea porcelain"))
    with Corpus.open(root, principal=Principal("local", user="ann")) as corpus:
        assert corpus.search("green tea porcelain")[0].source == "tea.md"
        (root / "tea.md").unlink()
        assert corpus.ingest().removed == ("tea.md",)


def test_a_declared_corpus_has_its_own_patterns(root: Path):
    config = {"root": str(root), "include": ["*.md"], "exclude": ["bikes/"], "hidden": False}
    declaration = CorpusDeclaration(name="kitchen", config=config)
    with Corpus.open(declaration) as corpus:
        assert set(corpus.ingest().added) == {"bread.md", "tea.md"}


def test_a_corpus_without_an_embedder_is_searched_by_its_words(root: Path):
    declaration = CorpusDeclaration(name="words", config={"root": str(root), "embedder": None})
    with Corpus.open(declaration) as corpus:
        assert corpus.ingest().embedded == 0
        best = corpus.search("rye bread")[0]
        assert best.source == "bread.md"
        assert "vector" not in best.parts
        with pytest.raises(PlanError, match="needs a corpus with an embedder"):
            corpus.search("rye bread", retriever_id="vector")


@pytest.mark.parametrize(
    ("config", "problem"),
    [
        ({"root": "x", "exlude": []}, r"unknown setting: found 'exlude'.*Did you mean 'exclude'"),
        ({"root": "x", "hidden": "maybe"}, r"corpus 'x' config: hidden: Input should be"),
        ({}, r"corpus 'x': a corpus needs a root or a store"),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(config: dict[str, object], problem: str):
    with pytest.raises(PlanError, match=problem):
        Corpus.open(CorpusDeclaration(name="x", config=config))


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a\\b", "a\0b"])
def test_a_name_never_leads_out_of_the_folder_of_stores(name: str):
    with pytest.raises(InputError, match="must be valid as the name of a folder"):
        store_of(Path("notes"), name)


@pytest.mark.parametrize("wrong", [{"limit": 0}, {"limit": 1.5}, {"offset": -1}, {"limit": "5"}])
def test_a_page_that_cannot_be_is_refused_as_other_settings_are(
    notes: Corpus, wrong: dict[str, object]
):
    (name,) = wrong
    with pytest.raises(PlanError, match=rf"retriever over corpus 'notes': {name}: "):
        notes.search("tea", **wrong)
