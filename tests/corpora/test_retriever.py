"""A retriever answers requests: within their limits, and page by page of one version."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from biblicus_context import ContextRetrieverRequest
from biblicus_context.corpora import Corpus, CorpusRetriever
from biblicus_context.errors import InputError, PlanError
from biblicus_context.retrieval.packs.facts import facts_of
from biblicus_context.text.counters import default_counter

QUERY = "lamp bulb watts"


def ask(retriever: CorpusRetriever, query: str = QUERY, **options: Any) -> list[str]:
    pack = retriever(ContextRetrieverRequest(query=query, **options))
    return [block.evidence_item_id for block in pack.blocks]


def pages(retriever: CorpusRetriever, limit: int) -> list[list[str]]:
    found: list[list[str]] = []
    while page := ask(retriever, offset=limit * len(found), limit=limit):
        found.append(page)
    return found


@pytest.mark.parametrize("retriever_id", ["hybrid", "keyword", "fuzzy", "vector", "recent"])
@pytest.mark.parametrize("limit", [1, 7, 50])
def test_pages_are_disjoint_and_together_the_whole_ranking(
    many: Corpus, retriever_id: str, limit: int
):
    retriever = many.retriever({"retriever_id": retriever_id})
    together = [block for page in pages(retriever, limit) for block in page]
    assert together == ask(many.retriever({"retriever_id": retriever_id}), limit=1000)
    assert len(together) == len({*together}) == 90


@pytest.mark.parametrize("limit", [1, 7, 50])
@pytest.mark.parametrize("neighbours", [1, 4])
def test_passages_of_all_pages_hold_every_block_once(many: Corpus, limit: int, neighbours: int):
    retriever = many.retriever({"retriever_id": "keyword", "neighbours": neighbours})
    texts = ""
    for offset in range(0, 90, limit):
        texts += "".join(
            each.block.text for each in retriever.evidence(QUERY, offset=offset, limit=limit)
        )
    for number in range(30):
        for part in range(3):
            assert texts.count(f"Lamp {number} has a bulb of {number + part} watts.") == 1


@pytest.mark.parametrize("settings", [{}, {"rank": {"similarity": 1, "keyword": 1}}])
def test_a_long_ranking_is_whole_however_it_is_paged(root: Path, settings: dict[str, Any]):
    turns = (f'{{"role": "user", "content": "Lamp {number} is on."}}\n' for number in range(1100))
    (root / "lamps.jsonl").write_text("".join(turns), "utf-8")
    with Corpus.open(root) as corpus:
        corpus.ingest()
        retriever = corpus.retriever({"retriever_id": "keyword", **settings})
        found = [each for page in pages(retriever, 90) for each in page]
        assert len(found) == len({*found}) == 1100
        together = corpus.retriever({"retriever_id": "keyword", **settings})
        assert ask(together, limit=2000) == found


def test_an_ingest_between_two_pages_neither_repeats_nor_loses_a_block(root: Path):
    with Corpus.open(root) as corpus:
        for number in range(8):
            (root / f"lamp{number}.md").write_text(f"Lamp {number} has a bulb.\n", "utf-8")
        corpus.ingest()
        retriever = corpus.retriever()
        before = ask(retriever, limit=100)
        first = ask(retriever, limit=4)
        (root / "lamp0.md").unlink()
        (root / "lamps.md").write_text("Lamp bulb watts, lamp bulb watts.\n", "utf-8")
        corpus.ingest()
        assert first + ask(retriever, offset=4, limit=100) == before
        assert ask(retriever, limit=100) != before


def test_a_pack_keeps_within_the_tokens_of_its_request(many: Corpus):
    retriever = many.retriever({"limit": 50})
    for tokens in (200, 333, 2000):
        pack = retriever(ContextRetrieverRequest(query=QUERY, limit=50, max_tokens=tokens))
        assert 0 < default_counter().count(pack.text) <= tokens
        assert pack.evidence_count == 50


def test_what_does_not_fit_is_passed_over(notes: Corpus):
    whole = notes.search("tea water bread", limit=10)
    sizes = [each.block.tokens for each in whole]
    small = min(range(len(sizes)), key=sizes.__getitem__)
    assert small > 0
    request = ContextRetrieverRequest(
        query="tea water bread", limit=10, max_tokens=sizes[small] + 2
    )
    assert whole[small].block.id in [
        block.evidence_item_id for block in notes.retriever()(request).blocks
    ]


def test_one_block_larger_than_the_budget_does_not_empty_the_pack(many: Corpus):
    assert len(ask(many.retriever(), limit=3, max_tokens=1)) == 1


def test_the_authors_limit_of_characters_holds(many: Corpus):
    retriever = many.retriever({"maximum_total_characters": 900})
    request = ContextRetrieverRequest(query=QUERY, limit=9, max_tokens=4000)
    assert len(retriever(request).text) <= 900
    request = ContextRetrieverRequest(query=QUERY, limit=9, maximum_total_characters=900)
    assert len(many.retriever()(request).text) <= 900


@pytest.mark.parametrize("most", [1, 20, 120, 400])
@pytest.mark.parametrize("tokens", [None, 4_000])
def test_a_block_above_the_character_limit_is_cut_and_names_the_rest(
    tmp_path: Path, most: int, tokens: int | None
):
    (tmp_path / "long.md").write_text("A lamp gives light. " * 30, "utf-8")
    with Corpus.open(tmp_path) as corpus:
        corpus.ingest()
        asked = ContextRetrieverRequest(query="lamp", max_tokens=tokens)
        limited = asked.model_copy(update={"maximum_total_characters": most})
        for pack in (
            corpus.retriever()(limited),
            corpus.retriever({"maximum_total_characters": most})(asked),
        ):
            assert 0 < len(pack.text) <= most
            assert pack.text.startswith("A lamp"[:most])
            assert pack.text.endswith("\n[… more: long.md:1-1]") == (most > 100)


def test_no_document_gives_more_blocks_than_it_may(many: Corpus):
    retriever = many.retriever({"maximum_items_per_source": 1, "retriever_id": "keyword"})
    found = [block for page in pages(retriever, 7) for block in page]
    assert len(found) == len({block.partition("#")[0] for block in found}) == 30


def test_a_block_has_its_path_lines_and_headings(notes: Corpus):
    request = ContextRetrieverRequest(query="water for green tea", limit=1)
    block = notes.retriever()(request).blocks[0]
    assert block.source == "tea.md"
    assert block.score is not None
    assert block.metadata is not None
    assert block.metadata["path"] == "tea.md"
    assert block.metadata["title"] == "Tea"
    assert block.metadata["lines"]
    assert block.metadata["parts"]
    assert "author" not in block.metadata


@pytest.mark.parametrize(
    "settings", [{"include_metadata": True}, {"metadata_fields": ["author", "nobody"]}]
)
def test_metadata_is_passed_on_if_the_plan_includes_it(notes: Corpus, settings: dict[str, Any]):
    request = ContextRetrieverRequest(query="water for green tea", limit=1)
    metadata = notes.retriever(settings)(request).blocks[0].metadata
    assert metadata is not None
    assert metadata["author"] == "Ada"


def test_many_threads_get_the_same_answers(many: Corpus):
    retriever = many.retriever()
    queries = [f"lamp {number} watts" for number in range(12)]
    alone = [ask(many.retriever(), query, limit=9) for query in queries]
    with ThreadPoolExecutor(6) as threads:
        assert list(threads.map(lambda query: ask(retriever, query, limit=9), queries)) == alone


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"retriever_id": "hybird"}, r"unknown retriever_id: found 'hybird'.*mean 'hybrid'"),
        ({"retriever_id": ["hybrid"]}, r"unknown retriever_id: found \['hybrid'\]"),
        ({"filtres": {}}, r"unknown setting: found 'filtres'.*Did you mean 'filters'"),
        ({"candidates": 0}, r"candidates: Input should be greater than or equal to 1: found 0"),
        ({"retriever_id": "keyword", "candidates": 9}, r"unknown setting: found 'candidates'"),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(
    notes: Corpus, settings: dict[str, Any], problem: str
):
    with pytest.raises(PlanError, match=problem):
        notes.retriever(settings)


def test_filters_that_cannot_be_meant_are_refused(notes: Corpus):
    with pytest.raises(
        InputError, match=r"corpus 'notes': unknown setting of filters: found 'knid'"
    ):
        notes.retriever({"filters": {"knid": "note"}})


@pytest.mark.parametrize("retriever_id", ["hybrid", "keyword", "recent", "fuzzy", "vector"])
def test_blocks_carry_the_facts_of_their_documents_whatever_the_plan_includes(
    notes: Corpus, retriever_id: str
):
    """Ranking and formats use them; `include_metadata` only decides on what the block shows."""
    retriever = notes.retriever({"retriever_id": retriever_id, "include_metadata": False})
    pack = retriever(ContextRetrieverRequest(query="green tea water", limit=20))
    [tea] = [block for block in pack.blocks if "80 degrees" in block.text]
    facts = facts_of(tea)
    assert "author" not in (tea.metadata or {})
    assert (facts.metadata["author"], facts.tags) == ("Ada", ("drinks",))
    assert (facts.path, facts.heading) == ("tea.md", ("Tea",))
    assert facts.lines == tuple((tea.metadata or {})["lines"])
    assert facts.text == tea.text


def test_what_a_block_carries_leaves_the_process_with_it(notes: Corpus):
    """Facts are put together when they are read, or when a pack is pickled or copied."""
    retriever = notes.retriever({"retriever_id": "keyword"})
    pack = retriever(ContextRetrieverRequest(query="green tea", limit=2))
    unread = pickle.loads(pickle.dumps(pack))
    assert [*map(facts_of, unread.blocks)] == [*map(facts_of, pack.blocks)]
    read = pickle.loads(pickle.dumps(pack.model_copy(deep=True)))
    assert [*map(facts_of, read.blocks)] == [*map(facts_of, pack.blocks)]
