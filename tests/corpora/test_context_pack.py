"""`retrieve_context_pack` asks corpora of this package as it asks those of Biblicus."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from biblicus.corpus import Corpus as TheirCorpus
from hypothesis import given, settings, strategies as st

from biblicus_context import ContextRetrieverRequest, TokenCounter, retrieve_context_pack
from biblicus_context.corpora import Corpus, NotIndexedError
from biblicus_context.errors import InputError, PlanError, UnknownNameError
from biblicus_context.retrieval.packs.fitters import count_tokens
from biblicus_context.retrieval.packs.pack import ContextPack
from biblicus_context.spec.corpus import CorpusDeclaration

QUERY = "water for green tea"


def ask(corpus: Any, retriever_id: str = "hybrid", **options: Any) -> ContextPack:
    fields = ContextRetrieverRequest.model_fields.keys() & options.keys()
    request = {name: options.pop(name) for name in fields}
    return retrieve_context_pack(
        request=ContextRetrieverRequest(**{"query": QUERY, **request}),
        corpus=corpus,
        retriever_id=retriever_id,
        **options,
    )


def ids(pack: ContextPack) -> list[str]:
    return [block.evidence_item_id for block in pack.blocks]


@pytest.fixture(scope="session")
def long(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Two blocks of hundreds of tokens, and two small ones that answer less well."""
    root = tmp_path_factory.mktemp("shared") / "long"
    root.mkdir()
    for name in ("a", "b"):
        (root / f"{name}.txt").write_text(f"{name}. " + "green tea water " * 80, "utf-8")
    (root / "c.txt").write_text("Water is wet.\n", "utf-8")
    (root / "d.txt").write_text("Green is a colour, and water has none.\n", "utf-8")
    corpus = Corpus.open(root)
    corpus.ingest()
    return corpus


def test_a_corpus_may_be_passed_declared_or_named_by_its_folder(notes: Corpus):
    expected = ask(notes)
    assert expected.blocks[0].source == "tea.md"
    assert "80 degrees" in expected.text
    assert ask(notes.root) == ask(str(notes.root)) == expected
    declared = CorpusDeclaration(name="notes", config={"root": str(notes.root)})
    assert ask(declared) == expected


def test_a_local_index_is_searched_by_its_name(notes: Corpus, monkeypatch):
    monkeypatch.chdir(notes.root.parent)
    by_folder = ask("notes")
    monkeypatch.chdir(notes.place.parent.parent)
    assert by_folder == ask("notes") == ask(notes)
    with pytest.raises(UnknownNameError, match=r"Corpus 'nots' not defined.*Did you mean 'notes'"):
        ask("nots")


def test_an_index_is_searched_by_its_name_without_its_files(
    notes: Corpus, tmp_path: Path, monkeypatch
):
    (tmp_path / ".biblicus-context").mkdir()
    (tmp_path / ".biblicus-context" / "moved").symlink_to(notes.place)
    monkeypatch.chdir(tmp_path)
    assert ask("moved") == ask(notes)


def test_a_folder_that_was_never_indexed_is_an_error_with_the_command(tmp_path: Path):
    with pytest.raises(NotIndexedError, match="Run: biblicus-context index"):
        ask(tmp_path)


@pytest.mark.parametrize("retriever_id", ["hybrid", "keyword", "vector", "fuzzy", "recent"])
def test_every_retriever_of_this_package_answers(notes: Corpus, retriever_id: str):
    pages = [ask(notes, retriever_id, limit=1, offset=offset) for offset in range(2)]
    assert ids(ask(notes, retriever_id, limit=2)) == [*ids(pages[0]), *ids(pages[1])]


def test_a_retriever_that_is_not_known_is_answered_with_the_nearest(notes: Corpus):
    with pytest.raises(PlanError, match=r"unknown retriever_id: found 'hybird'.*'hybrid'"):
        ask(notes, "hybird")
    with pytest.raises(PlanError, match=r"unknown setting: found 'filtrs'.*'filters'"):
        ask(notes, configuration={"filtrs": {}})


def test_the_configuration_holds_the_settings_of_the_retriever(notes: Corpus):
    found = ask(notes, configuration={"filters": {"path": "bikes/**"}})
    assert {block.source for block in found.blocks} == {"bikes/repair.md"}


def test_blocks_are_joined_limited_and_described_as_requested(notes: Corpus):
    pack = ask(notes, limit=3, join_with="|", max_items_per_source=1)
    assert pack.text == "|".join(block.text for block in pack.blocks)
    assert len({block.source for block in pack.blocks}) == len(pack.blocks) == 3
    (plain,) = ask(notes, limit=1).blocks
    assert "author" not in (plain.metadata or {})
    (told,) = ask(notes, limit=1, include_metadata=True).blocks
    assert (told.metadata or {})["author"] == "Ada"
    (chosen,) = ask(notes, limit=1, metadata_fields=["author"]).blocks
    assert (chosen.metadata or {})["author"] == "Ada"


@settings(max_examples=25, deadline=None)
@given(maximum=st.integers(1, 400), limit=st.integers(1, 4))
def test_a_pack_never_exceeds_the_requested_tokens(long: Corpus, maximum, limit):
    pack = ask(long, max_tokens=maximum, limit=limit)
    assert count_tokens(pack.text, tokenizer_id="o200k_base") <= maximum
    assert len(pack.blocks) == pack.evidence_count <= limit


@pytest.mark.parametrize("limit", [1, 2, 4])
def test_a_block_larger_than_the_budget_does_not_empty_the_pack(long: Corpus, limit: int):
    assert ask(long, limit=limit).blocks[0].source in ("a.txt", "b.txt")
    found = ask(long, limit=limit, max_tokens=15)
    assert found.blocks
    assert {block.source for block in found.blocks} <= {"c.txt", "d.txt"}


@pytest.mark.parametrize("counter", [None, TokenCounter(tokenizer_id="whitespace")])
def test_if_every_block_is_larger_the_best_is_cut_and_names_the_rest(
    long: Corpus, counter: TokenCounter | None
):
    only_long = {"configuration": {"filters": {"path": "[ab].txt"}}}
    (block,) = ask(long, max_tokens=30, token_counter=counter, **only_long).blocks
    assert block.source in ("a.txt", "b.txt")
    assert block.text.startswith(f"{block.source[0]}. green tea water")
    assert re.search(rf"more tokens: {block.source}", block.text)


def test_if_not_even_the_start_of_a_block_fits_the_pack_is_empty(long: Corpus):
    (start,) = ask(long, max_tokens=1).blocks
    assert count_tokens(start.text, tokenizer_id="o200k_base") == 1
    assert ask(long, offset=50, max_tokens=10).blocks == []


def test_tokens_may_be_counted_otherwise(long: Corpus):
    words = TokenCounter(tokenizer_id="whitespace")
    assert ask(long, limit=4, max_tokens=8, token_counter=words).blocks[0].source == "d.txt"
    assert ids(ask(long, limit=4, max_tokens=8)) != ids(
        ask(long, limit=4, max_tokens=8, token_counter=words)
    )
    assert ask(long, limit=4, max_tokens=500, token_counter=words).evidence_count == 4


@pytest.mark.parametrize("name", ["o200k_base", "naive-whitespace"])
@pytest.mark.parametrize("by", ["token_counter", "request"])
def test_settings_of_a_share_hold_whatever_tokens_are_counted_with(
    long: Corpus, name: str, by: str
):
    counter = TokenCounter(tokenizer_id=name)
    counted = {"counter": counter.counter.name} if by == "request" else {"token_counter": counter}
    capped = {"configuration": {"item_cap": 0.25}, "limit": 4, "max_tokens": 80}
    pack = ask(long, **capped, **counted)
    assert max(count_tokens(each.text, tokenizer_id=name) for each in pack.blocks) == pytest.approx(
        20, abs=2
    )
    assert count_tokens(pack.text, tokenizer_id=name) <= 80
    assert any("more tokens: a.txt" in each.text for each in pack.blocks)


def test_a_request_is_fitted_by_the_counter_that_it_names(long: Corpus):
    words = {"counter": "whitespace", "limit": 4, "max_tokens": 8}
    assert ask(long, **words) == ask(
        long, limit=4, max_tokens=8, token_counter=TokenCounter(tokenizer_id="whitespace")
    )
    assert ask(long, limit=4, max_tokens=8, counter="an assembler's own").blocks


def test_a_passed_corpus_stays_open_and_keeps_its_principal(notes: Corpus):
    ask(notes)
    assert notes.search(QUERY)
    with Corpus.open(notes.root, principal=notes.principal.__class__("other")) as others:
        assert ask(others).blocks == []


def test_a_snapshot_is_of_biblicus_alone(notes: Corpus, tmp_path: Path):
    with pytest.raises(InputError, match=r"snapshot_id: .* found 'x'\. Leave it out"):
        ask(notes, snapshot_id="x")
    theirs = TheirCorpus.init(tmp_path / "theirs")
    theirs.ingest_note("Green tea wants water of 80 degrees.", title="tea")
    first = ask(theirs, "scan", configuration={"snippet_characters": 10})
    named = ask(theirs, "scan", snapshot_id=theirs.latest_snapshot_id)
    assert ids(named) == ids(first)
    assert len(named.text) < 36
