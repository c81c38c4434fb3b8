"""A folder becomes a corpus that can be searched."""

from __future__ import annotations

import gc
from pathlib import Path
from weakref import ref

import pytest

from biblicus_context.corpora import Corpus, NotIndexedError
from biblicus_context.corpora.places import store_of
from biblicus_context.errors import InputError, PlanError
from biblicus_context.spec.corpus import CorpusDeclaration
from biblicus_context.stores import Principal


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


def test_a_corpus_never_indexed_says_what_to_run(root: Path):
    with pytest.raises(NotIndexedError) as refused:
        Corpus.open(root).search("tea")
    assert str(refused.value) == (
        f"corpus 'notes' has never been indexed. Run: biblicus-context index {root} --corpus notes"
    )
    assert not (root.parent / ".biblicus-context").exists()


def test_a_closed_corpus_opens_again_when_it_is_asked(root: Path):
    corpus = Corpus.open(root)
    corpus.ingest()
    corpus.close()
    corpus.close()
    assert corpus.search("rye")[0].source == "bread.md"
    corpus.close()


def test_a_corpus_that_is_opened_again_and_again_keeps_none_of_its_stores(root: Path):
    corpus = Corpus.open(root)
    corpus.ingest()
    stores = []
    for _ in range(3):
        stores.append(ref(corpus.store))
        corpus.close()
    gc.collect()
    assert [store() for store in stores] == [None, None, None]


def test_another_workspace_sees_nothing(root: Path):
    with Corpus.open(root, principal=Principal("acme")) as corpus:
        corpus.ingest()
    with Corpus.open(root, principal=Principal("other")) as corpus:
        for retriever in ("hybrid", "keyword", "fuzzy", "vector", "recent"):
            assert corpus.search("rye bread", retriever_id=retriever) == []


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
        ({}, r"corpus 'x' config: root: Field required"),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(config: dict[str, object], problem: str):
    with pytest.raises(PlanError, match=problem):
        Corpus.open(CorpusDeclaration(name="x", config=config))


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a\\b", "a\0b"])
def test_a_name_never_leads_out_of_the_folder_of_stores(name: str):
    with pytest.raises(InputError, match="a corpus needs a name"):
        store_of(Path("notes"), name)


@pytest.mark.parametrize("wrong", [{"limit": 0}, {"limit": 1.5}, {"offset": -1}, {"limit": "5"}])
def test_a_page_that_cannot_be_is_refused_as_other_settings_are(
    notes: Corpus, wrong: dict[str, object]
):
    (name,) = wrong
    with pytest.raises(PlanError, match=rf"retriever over corpus 'notes': {name}: "):
        notes.search("tea", **wrong)
