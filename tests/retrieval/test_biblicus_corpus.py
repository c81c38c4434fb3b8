"""A Biblicus corpus answers requests within their budget, from a snapshot that suits them."""

from __future__ import annotations

import shutil
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from biblicus.corpus import Corpus
from biblicus.retrievers import available_retrievers
from hypothesis import given, strategies as st

from biblicus_context import ContextAssembler
from biblicus_context.errors import InputError, MissingExtraError, PlanError, UnknownNameError
from biblicus_context.retrieval.biblicus_corpus import retrieve_context_pack
from biblicus_context.retrieval.packs.fitters import TokenCounter, count_tokens
from biblicus_context.retrieval.packs.pack import ContextPack
from biblicus_context.retrieval.requests.request import ContextRetrieverRequest
from tests.retrieval import sparingly

NOTES = {
    "refunds": "refund refund refund: a refund takes five days.",
    "shipping": "refund refund for lost parcels.",
    "contact": "Ask for a refund by mail.",
}
WORDS = TokenCounter(tokenizer_id="whitespace")
EMBEDDING = {"embedding_provider": {"provider_id": "hash-embedding", "dimensions": 8}}
SETTINGS: dict[str, dict[str, Any]] = {
    "embedding-index-file": EMBEDDING,
    "embedding-index-inmemory": {**EMBEDDING, "maximum_cache_total_items": 100},
    "hybrid": {"lexical_weight": 0.25, "embedding_weight": 0.75},
    "scan": {"snippet_characters": 40},
    "sqlite-full-text-search": {"chunk_size": 300},
    "tf-vector": {"snippet_characters": 40},
}


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    made = Corpus.init(tmp_path / "corpus")
    for title, text in NOTES.items():
        made.ingest_note(text, title=title)
    return made


def ask(corpus: Corpus, retriever_id: str = "scan", **options: Any) -> ContextPack:
    request = {name: options.pop(name) for name in list(options) if name in REQUESTED}
    options.setdefault("configuration", {})
    return retrieve_context_pack(
        request=ContextRetrieverRequest(**{"query": "refund", **request}),
        corpus=corpus,
        retriever_id=retriever_id,
        **options,
    )


REQUESTED = ContextRetrieverRequest.model_fields.keys()


def texts(pack: ContextPack) -> list[str]:
    return [block.text for block in pack.blocks]


def ids(pack: ContextPack) -> list[str]:
    return [block.evidence_item_id for block in pack.blocks]


def built(corpus: Corpus, retriever_id: str = "scan") -> int:
    return len(list((corpus.snapshots_dir / retriever_id).glob("*/manifest.json")))


def test_evidence_arrives_best_first_as_one_text(corpus: Corpus) -> None:
    pack = ask(corpus)
    assert texts(pack) == list(NOTES.values())
    assert pack.text == "\n\n".join(NOTES.values())
    assert pack.evidence_count == 3


def test_a_request_names_its_page(corpus: Corpus) -> None:
    assert texts(ask(corpus, limit=1, offset=1)) == [NOTES["shipping"]]
    assert ask(corpus, offset=3).evidence_count == 0


def test_blocks_are_joined_and_described_as_requested(corpus: Corpus) -> None:
    pack = ask(corpus, limit=1, join_with="|", include_metadata=True, metadata_fields=[])
    lines = pack.text.splitlines()
    assert [line.split(":")[0] for line in lines[:4]] == ["item_id", "source_uri", "score", "stage"]
    assert lines[4] == NOTES["refunds"]
    assert ask(corpus, limit=2, join_with="|").text.count("|") == 1


def test_one_source_gives_no_more_blocks_than_allowed(tmp_path: Path) -> None:
    corpus = Corpus.init(tmp_path / "corpus")
    corpus.ingest_note("refund " * 300, title="long")
    settings = {"chunk_size": 100, "chunk_overlap": 0}
    options: dict[str, Any] = {"limit": 9, "configuration": settings}
    assert ask(corpus, "sqlite-full-text-search", **options).evidence_count > 1
    limited = ask(corpus, "sqlite-full-text-search", max_items_per_source=1, **options)
    assert limited.evidence_count == 1


@pytest.fixture(scope="module")
def manual(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """A corpus of one long item and a short one; nothing here changes it."""
    made = Corpus.init(tmp_path_factory.mktemp("biblicus") / "manual")
    parts = (f"Section {number}: a refund of kind {number}." for number in range(12))
    made.ingest_note("\n\n".join(parts), title="long")
    made.ingest_note("What's the refund policy? Ask by e-mail.", title="short")
    return made


IN_PIECES = {
    "embedding-index-file": EMBEDDING,
    "embedding-index-inmemory": SETTINGS["embedding-index-inmemory"],
    "sqlite-full-text-search": {"chunk_size": 60, "chunk_overlap": 0},
}


@pytest.mark.parametrize("retriever_id", IN_PIECES)
def test_every_piece_of_an_item_has_a_name_that_no_other_has_on_any_page(
    manual: Corpus, retriever_id: str
) -> None:
    settings = IN_PIECES[retriever_id]
    whole = ask(manual, retriever_id, configuration=settings, limit=20)
    assert len(set(ids(whole))) == len(whole.blocks) >= 8
    pages = [
        ask(manual, retriever_id, configuration=settings, limit=3, offset=offset)
        for offset in range(0, 6, 3)
    ]
    named = dict(zip(texts(whole), ids(whole), strict=True))
    for page in pages:
        assert ids(page) == [named[text] for text in texts(page)]


@pytest.mark.parametrize("retriever_id", ["scan", "sqlite-full-text-search", "tf-vector"])
def test_a_piece_at_the_start_of_its_item_has_the_name_of_the_item(
    manual: Corpus, retriever_id: str
) -> None:
    items = set(manual.load_catalog().items)
    assert items <= set(ids(ask(manual, retriever_id, limit=20)))


def test_a_piece_says_which_item_it_is_of(manual: Corpus) -> None:
    options: dict[str, Any] = {"include_metadata": True, "limit": 20}
    pack = ask(
        manual,
        "sqlite-full-text-search",
        configuration=IN_PIECES["sqlite-full-text-search"],
        **options,
    )
    for block in pack.blocks:
        assert block.metadata is not None
        item = block.metadata["item_id"]
        assert item in manual.load_catalog().items
        assert block.evidence_item_id.split("#")[0] == item


def test_an_assembly_places_every_piece_that_has_room(manual: Corpus) -> None:
    def kb(request: ContextRetrieverRequest) -> ContextPack:
        return retrieve_context_pack(
            request=request,
            corpus=manual,
            retriever_id="sqlite-full-text-search",
            configuration=IN_PIECES["sqlite-full-text-search"],
        )

    plan = {"policy": {"input_budget": {"max_tokens": 800}, "pack_budget": {"default_ratio": 1}}}
    messages = [{"type": "context", "name": "kb"}]
    assembler = ContextAssembler(
        {"x": {**plan, "messages": messages}}, {"kb": {"config": {"limit": 8}}}
    )
    result = assembler.assemble("x", inputs={"query": "refund"}, retriever_override=kb)
    assert [block.action for block in result.receipt.parts[0].blocks] == ["kept"] * 8


@pytest.mark.parametrize("retriever_id", ["sqlite-full-text-search", "hybrid"])
@pytest.mark.parametrize(
    "query",
    ["what's the policy?", "WHAT'S", "by e-mail", "refund:policy", "re*", "(e-mail)", "a.b"],
)
def test_marks_inside_a_word_are_not_query_syntax(
    manual: Corpus, retriever_id: str, query: str
) -> None:
    found = texts(ask(manual, retriever_id, query=query))
    assert retriever_id == "hybrid" or not found or "What's" in found[0]


@pytest.mark.parametrize("query", ["what's the policy?", "by E-MAIL", "refund/policy", "«policy»"])
def test_a_word_with_marks_inside_is_found(manual: Corpus, query: str) -> None:
    (found,) = texts(ask(manual, "sqlite-full-text-search", query=query))
    assert found.startswith("What's")


@sparingly
@given(st.text(st.characters(codec="ascii") | st.characters(codec="utf-8"), max_size=12))
def test_every_query_is_valid(manual: Corpus, query: str) -> None:
    ask(manual, "sqlite-full-text-search", query=query)
    ask(manual, "sqlite-full-text-search", query=f"x{query}y")


@pytest.mark.parametrize("maximum", range(1, 41, 3))
def test_a_pack_never_exceeds_the_requested_tokens(corpus: Corpus, maximum: int) -> None:
    pack = ask(corpus, max_tokens=maximum, maximum_total_characters=10_000)
    assert count_tokens(pack.text, tokenizer_id="o200k_base") <= maximum


def test_a_block_larger_than_the_budget_does_not_empty_the_pack(corpus: Corpus) -> None:
    corpus.ingest_note("refund " * 90, title="very long")
    settings = {"snippet_characters": 5000}
    options: dict[str, Any] = {"limit": 4, "maximum_total_characters": 10_000}
    assert ask(corpus, configuration=settings, **options).evidence_count == 4
    pack = ask(corpus, configuration=settings, max_tokens=40, **options)
    assert texts(pack) == list(NOTES.values())


@pytest.mark.parametrize("asked", [{}, {"maximum_total_characters": 240}])
def test_if_every_block_is_larger_the_best_is_cut_and_names_the_rest(
    tmp_path: Path, asked: dict[str, int]
) -> None:
    corpus = Corpus.init(tmp_path / "corpus")
    corpus.ingest_note("refund by mail " * 90, title="very long")
    settings = {"snippet_characters": 5000}
    (block,) = ask(corpus, configuration=settings, max_tokens=100, **asked).blocks
    assert block.text.startswith("refund by mail")
    assert f"{block.source}]" in block.text
    assert len(block.text) <= asked.get("maximum_total_characters", 400)
    assert count_tokens(block.text, tokenizer_id="o200k_base") <= 100


def test_without_a_number_of_characters_four_are_taken_for_a_token(corpus: Corpus) -> None:
    characters = sum(map(len, NOTES.values()))
    pack = ask(corpus, max_tokens=characters // 4, token_counter=WORDS)
    assert len("".join(texts(pack))) <= characters // 4 * 4 < characters
    assert pack.evidence_count == 2


def test_tokens_may_be_counted_otherwise(corpus: Corpus) -> None:
    options: dict[str, Any] = {"max_tokens": 8, "maximum_total_characters": 10_000}
    assert texts(ask(corpus, **options)) == [NOTES["shipping"]]
    assert texts(ask(corpus, token_counter=WORDS, **options)) == [NOTES["refunds"]]


def test_every_retriever_of_biblicus_is_known_here() -> None:
    assert SETTINGS.keys() == available_retrievers().keys()


@pytest.mark.parametrize("retriever_id", SETTINGS)
def test_the_same_configuration_is_built_once(corpus: Corpus, retriever_id: str) -> None:
    settings = SETTINGS[retriever_id]
    first = ask(corpus, retriever_id, configuration=settings)
    kept = corpus.load_snapshot(corpus.latest_snapshot_id).configuration.configuration
    assert ask(corpus, retriever_id, configuration=settings) == first
    assert ask(corpus, retriever_id, configuration=kept) == first
    assert built(corpus, retriever_id) == 1


@pytest.mark.parametrize("retriever_id", SETTINGS)
def test_a_changed_configuration_is_built_anew(corpus: Corpus, retriever_id: str) -> None:
    settings = SETTINGS[retriever_id]
    changes: dict[str, dict[str, Any]] = {
        "hybrid": {"lexical_weight": 0.75, "embedding_weight": 0.25}
    }
    changed = changes.get(retriever_id, {"snippet_characters": 10})
    ask(corpus, retriever_id, configuration=settings)
    ask(corpus, retriever_id, configuration={**settings, **changed})
    assert built(corpus, retriever_id) == 2


def test_an_answer_is_that_of_the_configuration_it_names(corpus: Corpus) -> None:
    whole = texts(ask(corpus))
    short = texts(ask(corpus, configuration={"snippet_characters": 10}))
    assert all(len(part) <= len("refund") + 10 for part in short)
    assert texts(ask(corpus)) == whole


def test_retrievers_taking_turns_are_built_once_each(corpus: Corpus) -> None:
    for _ in range(3):
        ask(corpus, "scan")
        ask(corpus, "tf-vector")
    assert (built(corpus, "scan"), built(corpus, "tf-vector")) == (1, 1)


def test_new_items_are_found(corpus: Corpus) -> None:
    ask(corpus, "sqlite-full-text-search", limit=9)
    corpus.ingest_note("One more refund.", title="new")
    assert "One more refund." in texts(ask(corpus, "sqlite-full-text-search", limit=9))


def test_without_a_configuration_the_latest_snapshot_of_the_retriever_answers(
    corpus: Corpus,
) -> None:
    ask(corpus, configuration={"snippet_characters": 10})
    ask(corpus, "tf-vector")
    assert all(len(text) <= 16 for text in texts(ask(corpus, configuration=None)))
    assert built(corpus) == 1


def test_without_a_snapshot_or_a_configuration_there_is_nothing_to_ask(corpus: Corpus) -> None:
    with pytest.raises(InputError, match="No retrieval snapshot available") as caught:
        ask(corpus, configuration=None)
    assert "Provide snapshot_id or configuration" in str(caught.value)


def test_outdated_snapshots_are_reported(corpus: Corpus) -> None:
    ask(corpus, configuration={"snippet_characters": 10})
    ask(corpus)
    newest = corpus.latest_snapshot_id
    corpus.ingest_note("One more refund.", title="new")
    with pytest.raises(InputError, match="all 2 snapshots of retriever 'scan' are older") as caught:
        ask(corpus, configuration=None)
    assert "configuration to build a new one" in str(caught.value)
    assert f"snapshot_id='{newest}'" in str(caught.value)
    assert ask(corpus, configuration=None, snapshot_id=newest).evidence_count == 3


def test_an_unknown_snapshot_is_an_error_that_lists_those_of_the_retriever(corpus: Corpus) -> None:
    with pytest.raises(InputError, match=r"snapshot_id: .* no such snapshot: found 'nope'"):
        ask(corpus, snapshot_id="nope")
    ask(corpus)
    with pytest.raises(InputError, match=f"Valid: {corpus.latest_snapshot_id}"):
        ask(corpus, snapshot_id="nope")


def test_a_removed_snapshot_is_not_queried(corpus: Corpus) -> None:
    before = ask(corpus)
    shutil.rmtree(corpus.snapshots_dir / "scan")
    assert ask(corpus) == before
    assert built(corpus) == 1


def test_a_snapshot_may_be_named(corpus: Corpus) -> None:
    ask(corpus, configuration={"snippet_characters": 10})
    first = corpus.latest_snapshot_id
    ask(corpus)
    pack = ask(corpus, snapshot_id=first, configuration={})
    assert all(len(text) <= 16 for text in texts(pack))


def test_a_named_snapshot_has_to_be_of_the_retriever(corpus: Corpus) -> None:
    ask(corpus, "tf-vector")
    with pytest.raises(InputError, match="is of retriever 'tf-vector', not of 'scan'"):
        ask(corpus, "scan", snapshot_id=corpus.latest_snapshot_id)


def test_a_snapshot_is_built_under_the_name_that_is_given(corpus: Corpus) -> None:
    ask(corpus, configuration_name="Help desk")
    assert corpus.load_snapshot(corpus.latest_snapshot_id).configuration.name == "Help desk"


@pytest.mark.parametrize("retriever_id", ["scan", "tf-vector"])
def test_a_configuration_is_read_where_tactus_writes_it(corpus: Corpus, retriever_id: str) -> None:
    nested = {"pipeline": {"query": {"limit": 1}, "index": {"snippet_characters": 10}}}
    pack = ask(corpus, retriever_id, configuration=nested)
    assert pack == ask(corpus, retriever_id, configuration={"snippet_characters": 10})
    assert built(corpus, retriever_id) == 1


def test_a_snapshot_that_tactus_had_built_is_used(corpus: Corpus) -> None:
    nested = {"pipeline": {"index": {"snippet_characters": 10}}}
    retriever = available_retrievers()["tf-vector"]()
    retriever.build_snapshot(corpus, configuration_name="Tactus", configuration=nested)
    ask(corpus, "tf-vector", configuration=nested)
    assert built(corpus, "tf-vector") == 1


def test_a_snapshot_with_settings_of_another_release_is_not_used(corpus: Corpus) -> None:
    ask(corpus)
    snapshot = corpus.load_snapshot(corpus.latest_snapshot_id)
    snapshot.configuration.configuration["retired"] = True
    corpus.write_snapshot(snapshot)
    ask(corpus)
    assert built(corpus) == 2


def test_an_empty_configuration_that_cannot_be_built_asks_for_any_snapshot(corpus: Corpus) -> None:
    first = ask(corpus, "embedding-index-file", configuration=EMBEDDING)
    assert ask(corpus, "embedding-index-file", configuration={}) == first
    assert built(corpus, "embedding-index-file") == 1


def test_a_wrong_configuration_is_an_error_that_names_the_setting(corpus: Corpus) -> None:
    with pytest.raises(PlanError, match=r"retriever 'scan': snippet_characters: .*found 0"):
        ask(corpus, configuration={"snippet_characters": 0})


def test_a_configuration_that_nothing_can_be_built_from_is_an_error_that_says_why(
    corpus: Corpus,
) -> None:
    with pytest.raises(PlanError, match="retriever 'embedding-index-file': embedding_provider"):
        ask(corpus, "embedding-index-file", configuration={})
    with pytest.raises(PlanError, match="chunk_overlap must be smaller than chunk_size"):
        ask(corpus, "sqlite-full-text-search", configuration={"chunk_size": 100})


def test_an_unknown_retriever_is_an_error_that_lists_the_known_ones(corpus: Corpus) -> None:
    with pytest.raises(UnknownNameError, match=r"'scann' not defined.*Did you mean 'scan'"):
        ask(corpus, "scann")


def test_neither_the_request_nor_the_configuration_is_changed(corpus: Corpus) -> None:
    request = ContextRetrieverRequest(query="refund", max_tokens=9, metadata={"a": [1]})
    configuration = deepcopy(SETTINGS["hybrid"])
    before = request.model_copy(deep=True)
    retrieve_context_pack(
        request=request, corpus=corpus, retriever_id="hybrid", configuration=configuration
    )
    assert (request, configuration) == (before, SETTINGS["hybrid"])


def test_without_biblicus_the_error_says_how_to_install_it(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "biblicus.retrievers", None)
    with pytest.raises(MissingExtraError, match=r"install .*\[biblicus\]"):
        ask(corpus)
