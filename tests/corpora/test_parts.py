"""Retrievers are made of parts that callers and installed packages can add to."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from biblicus_context.corpora import Corpus, RankedBlock, RetrieverKind, SearchQuery
from biblicus_context.errors import InputError, PlanError, RetrieverError
from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.fusion import Scores, Search, WeightedScores
from biblicus_context.retrieval.rank import RankingQuery
from biblicus_context.spec import SearchSpec
from tests.corpora.searching import ask, ids, paths

PACKAGE = '''
"""A package that adds a part of each family."""

from biblicus_context.corpora import RankedBlock


def longest(candidate, asked):
    return min(1.0, len(candidate.text) / 100)


def first_only(candidates, budget):
    return [each for each in candidates if each.tokens <= budget][:1]


def last_document(query, spec, most):
    document = query.view.list_documents()[-1]
    blocks = query.view.blocks_of([document.id])
    return [RankedBlock(block.id, document.id, 1.0, lambda _: {"last": 1.0}) for block in blocks]
'''
POINTS = {
    "rank": "longest = more_parts:longest",
    "select": "first_only = more_parts:first_only",
    "retrievers": "last_document = more_parts:last_document",
}


USED = datetime(2026, 5, 8, tzinfo=UTC)


class ByTitle(SearchSpec):
    """The settings of a retriever of somebody's own."""

    title: str


def by_title(query: SearchQuery, spec: ByTitle, most: int) -> list[RankedBlock]:
    documents = query.view.list_documents()
    return [
        RankedBlock(block.id, each.id, 1.0, lambda _: {"title": 1.0})
        for each in documents
        if each.title == spec.title
        for block in query.view.blocks_of([each.id])
    ][:most]


def shortest(candidate: Candidate, asked: RankingQuery) -> float:
    del asked
    return 1 / (1 + len(candidate.text))


def words_only(searches: list[Search]) -> Scores:
    return WeightedScores()([each for each in searches if each.name == "text"])


ADDED: dict[str, dict[str, Any]] = {
    "retrievers": {"by_title": RetrieverKind(by_title, ByTitle)},
    "rank": {"shortest": shortest},
    "fusion": {"words_only": words_only},
    "select": {"one": lambda found, budget: found[:1] if budget else []},
}


@pytest.fixture
def indexed(root: Path) -> Path:
    with Corpus.open(root) as corpus:
        corpus.ingest()
    return root


def test_a_caller_adds_a_retriever_with_settings_of_its_own(indexed: Path):
    config = {"retriever_id": "by_title", "title": "Bread"}
    assert paths(ask(indexed, "?", config, retrieval_parts=ADDED)) == ["bread.md"]
    with pytest.raises(PlanError, match=r"unknown setting: found 'titel'.*mean 'title'"):
        ask(indexed, "?", {"retriever_id": "by_title", "titel": 1}, retrieval_parts=ADDED)
    with pytest.raises(PlanError, match=r"config: the setting 'title' is missing"):
        ask(indexed, "?", {"retriever_id": "by_title"}, retrieval_parts=ADDED)
    with pytest.raises(PlanError, match=r"unknown retriever_id: found 'by_titel'.*by_title"):
        ask(indexed, "?", {"retriever_id": "by_titel"}, retrieval_parts=ADDED)


def test_a_caller_adds_a_component_a_fusion_and_a_selection(indexed: Path):
    config = {"rank": "shortest", "fusion": "words_only", "select": "one", "limit": 9}
    result = ask(indexed, "water and glue", config, retrieval_parts=ADDED)
    row, *others = result.receipt.parts[0].blocks
    assert {"shortest", "text"} <= set(row.parts)
    assert "vector" not in row.parts
    assert {each.cause for each in others} == {"select"}


def test_a_corpus_takes_parts_as_well(notes: Corpus):
    retriever = notes.retriever({"retriever_id": "by_title", "title": "Tea"}, parts=ADDED)
    assert {each.source for each in retriever.evidence("?", offset=0, limit=9)} == {"tea.md"}


def test_a_ranker_that_repeats_its_blocks_for_ever_is_called_a_few_times_only(notes: Corpus):
    tea = notes.search("tea", limit=3)
    asked = []

    def endless(query: SearchQuery, spec: SearchSpec, most: int) -> list[RankedBlock]:
        assert len(asked) < 3, "it is asked again and again"
        asked.append(most)
        return [
            RankedBlock(each.block.id, each.document.id, 1.0, lambda _: {})
            for number in range(most)
            for each in tea[number % len(tea) :][:1]
        ]

    retriever = notes.retriever({"retriever_id": "mine"}, parts={"retrievers": {"mine": endless}})
    found = retriever.evidence("?", offset=0, limit=9)
    assert [each.block.id for each in found] == [each.block.id for each in tea]


def test_a_component_sees_what_document_and_block_say_of_themselves(root: Path):
    seen: dict[str, Candidate] = {}

    def look(candidate: Candidate, asked: RankingQuery) -> float:
        seen[candidate.source or ""] = candidate
        return 1.0

    with Corpus.open(root) as corpus:
        corpus.ingest()
        tea = corpus.search("green tea")[0].block
        corpus.store.record_usage(corpus.principal, used=[tea.id], when=USED)
        rank = {"rank": {"look": look}}
        corpus.retriever({"rank": "look"}, parts=rank).evidence("tea", offset=0, limit=9)
    known = seen["tea.md"]
    assert (known.tags, known.metadata["author"]) == (("drinks",), "Ada")
    assert (known.accessed, known.used) == (USED, known.id == tea.id)


def test_a_component_that_answers_with_nothing_is_named(notes: Corpus):
    odd = {"rank": {"odd": lambda candidate, asked: None}}
    retriever = notes.retriever({"rank": "odd"}, parts=odd)
    with pytest.raises(InputError, match=r"component 'odd', block '.*return a number.* None"):
        retriever.evidence("tea", offset=0, limit=1)


@pytest.mark.parametrize("answer", [None, ["tea.md#1"], "tea.md", iter(())])
def test_a_ranker_that_answers_with_something_else_is_named(notes: Corpus, answer: Any):
    odd = {"retrievers": {"odd": lambda query, spec, most: answer}}
    retriever = notes.retriever({"retriever_id": "odd"}, parts=odd)
    with pytest.raises(InputError, match=r"retriever_id 'odd': .*a sequence of RankedBlock: found"):
        retriever.evidence("tea", offset=0, limit=1)


def test_a_fusion_that_answers_with_something_else_is_named(notes: Corpus):
    odd = {"fusion": {"odd": lambda searches: [1, 2]}}
    retriever = notes.retriever({"fusion": "odd"}, parts=odd)
    with pytest.raises(InputError, match="a fusion returns Scores: found 'list'"):
        retriever.evidence("tea", offset=0, limit=1)


@pytest.mark.parametrize("settings", [dict, SearchSpec(retriever_id="x"), None])
def test_settings_of_another_type_are_refused(settings: Any):
    with pytest.raises(
        InputError, match=r"not the settings of a retriever.*Derive it from SearchSpec"
    ):
        RetrieverKind(by_title, settings)


def test_a_family_that_is_not_there_is_answered_with_the_nearest_one(notes: Corpus):
    with pytest.raises(InputError, match=r"unknown family .* found 'ranks'.*mean 'rank'"):
        notes.retriever(parts={"ranks": {}})


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    about = tmp_path / "more_parts-1.0.dist-info"
    about.mkdir()
    points = "".join(f"[biblicus_context.{group}]\n{point}\n" for group, point in POINTS.items())
    (about / "entry_points.txt").write_text(points)
    (about / "METADATA").write_text("Name: more-parts\nVersion: 1.0\n")
    (tmp_path / "more_parts.py").write_text(PACKAGE)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    sys.modules.pop("more_parts", None)


@pytest.mark.usefixtures("installed")
def test_an_installed_package_adds_parts(indexed: Path):
    config = {"retriever_id": "last_document", "limit": 9, "select": "first_only"}
    assert paths(ask(indexed, "?", config)) == ["tea.md"]
    result = ask(indexed, "tea", {"rank": {"longest": 1}})
    assert "longest" in result.receipt.parts[0].blocks[0].parts
    with pytest.raises(PlanError, match="last_document"):
        ask(indexed, "?", {"retriever_id": "nothing"})


def test_every_block_of_the_table_says_what_its_score_is_made_of(indexed: Path):
    result = ask(indexed, "flat tyre", {"limit": 1})
    table = result.explain(width=200, details=True)
    assert "bikes/repair.md#" in table
    assert "kept · score " in table
    assert "(text " in table
    assert "score" not in result.explain(width=200)
    dumped = result.receipt.model_dump(mode="json")
    assert dumped["parts"][0]["blocks"][0]["parts"]["text"] > 0


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (lambda found: None, "None"),
        (lambda found: ["tea.md"], "'tea.md'"),
        (lambda found: [found[0]._replace(id="made up")], "Candidate"),
        (lambda found: 7, "7"),
    ],
)
def test_a_selection_that_returns_other_candidates_is_named(
    indexed: Path, answer: Callable[[Any], Any], found: str
):
    parts = {"select": {"odd": lambda page, budget: answer(page)}}
    with pytest.raises(RetrieverError, match=rf"select: a selection returns .*found .*{found}"):
        ask(indexed, "tea", {"select": {"type": "odd"}}, retrieval_parts=parts)


def test_a_candidate_that_is_selected_twice_is_placed_and_accounted_for_once(indexed: Path):
    parts = {"select": {"twice": lambda page, budget: [page[0], page[0]]}}
    result = ask(indexed, "tea", {"select": "twice"}, retrieval_parts=parts)
    rows = result.receipt.parts[0].blocks
    assert [each.id for each in rows if each.given] == ids(result)
    assert len(ids(result)) == 1
    assert len({each.id for each in rows}) == len(rows)
