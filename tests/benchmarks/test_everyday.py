"""The default embedder finds the page that answers an everyday question."""

from __future__ import annotations

import pytest

from benchmarks.everyday.__main__ import HERE, SETS, ndcg, questions


@pytest.mark.parametrize(("name", "least"), [("invoicing", 93), ("mealbox", 76)])
def test_the_page_that_answers_comes_first(name: str, least: float) -> None:
    assert ndcg(name, "granite", ["hybrid"])[0] >= least


@pytest.mark.parametrize("name", SETS)
def test_every_question_has_its_page(name: str) -> None:
    asked = questions(name)
    assert len(asked) == 24
    assert all((HERE / name / "pages" / each.file).is_file() for each in asked)
    assert len([*(HERE / name / "pages").rglob("*.md")]) == 20
