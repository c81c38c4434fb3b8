"""The page of a system explains its plan by name: each declaration, and nothing that is not there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from biblicus_context.reading import PlanDocument, read_documents, shipped_plan

PAGES = Path(__file__).parents[2] / "docs" / "systems"
ROW = re.compile(r"^\| (.+?) \| (.+) \|$", re.MULTILINE)
SYSTEMS = ("memory", "prime", "workspace", "learning")


def rows(system: str) -> list[str]:
    """What the rows of the table are about."""
    page = (PAGES / f"{system}.md").read_text("utf-8")
    _, _, plan = page.partition("\n| in the plan | what it does |\n|---|---|\n")
    table, _, _ = plan.partition("\n\n")
    return [row[1] for row in ROW.finditer(table)]


def quoted(text: str) -> set[str]:
    return set(re.findall(r"`([^`]+)`", text))


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_declaration_is_explained(system: str):
    plan = shipped_plan(system).read_text("utf-8")
    declared = {
        (each.kind, str(each.declaration.name))
        for each in read_documents(plan, system)
        if isinstance(each, PlanDocument)
    }
    explained = {
        (kind, name)
        for row in rows(system)
        for kind in ("context", "retriever", "corpus", "format", "compactor")
        if row.startswith((kind, kind.replace("corpus", "corpora")))
        for name in quoted(row)
    }
    assert {each for each in declared if each not in explained} == set()


@pytest.mark.parametrize("system", SYSTEMS)
def test_what_is_explained_is_in_the_plan(system: str):
    plan = shipped_plan(system).read_text("utf-8")
    for row in rows(system):
        assert quoted(row), row
        assert all(name in plan for name in quoted(row)), row


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_declaration_begins_on_a_line_of_its_own(system: str):
    lines = shipped_plan(system).read_text("utf-8").splitlines()
    assert [line for line in lines if line.startswith("--- ")] == []


def test_pages_and_plans_for_users_name_no_design_that_a_user_cannot_read():
    plans = (PAGES.parents[1] / "contexts" / "systems").glob("*.yaml")
    named = r"[Tt]he (?:published )?design(?:'s)?\b|forbidden patterns"
    texts = {each.name: each.read_text(encoding="utf-8") for each in (*PAGES.glob("*.md"), *plans)}
    assert len(texts) >= 12
    assert not [name for name, text in texts.items() if re.search(named, text)]
