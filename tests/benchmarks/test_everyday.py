"""The default embedder finds the page that answers an everyday question."""

from __future__ import annotations

import pytest

from benchmarks.everyday.__main__ import HERE, SETS, ndcg, questions
from benchmarks.floors import FLOORS, below, everyday, foreign
from biblicus_context.embedders import build_embedder, floor_of


@pytest.mark.parametrize(("name", "least"), [("invoicing", 95), ("mealbox", 77)])
def test_the_page_that_answers_comes_first(name: str, least: float) -> None:
    assert ndcg(name, "granite", ["hybrid"])[0] >= least


@pytest.mark.parametrize(("embedder", "silent"), [("granite", 45), ("wordllama", 0)])
def test_the_floor_of_an_embedder_keeps_every_question_with_an_answer(
    embedder: str, silent: float
) -> None:
    made = build_embedder(embedder)
    floor = floor_of(made.model)
    assert floor is not None
    for found in below([foreign(), *everyday()], made).values():
        place = FLOORS.index(floor)
        assert found.own[place] == 0
        assert found.foreign[place] >= silent


@pytest.mark.parametrize("name", SETS)
def test_every_question_has_its_page(name: str) -> None:
    asked = questions(name)
    assert len(asked) == 24
    assert all((HERE / name / "pages" / each.file).is_file() for each in asked)
    assert len([*(HERE / name / "pages").rglob("*.md")]) == 20
