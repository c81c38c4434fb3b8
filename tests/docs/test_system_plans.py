"""The page of a system explains its plan: each line of it, in order."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from biblicus_context.reading import shipped_plan

PAGES = Path(__file__).parents[2] / "docs" / "systems"
ROW = re.compile(r"^\| (\d+)(?:–(\d+))? \| (.*) \|$", re.MULTILINE)


class Row(NamedTuple):
    """What a page says of some lines of a plan."""

    first: int
    last: int
    text: str


def rows(system: str) -> list[Row]:
    page = (PAGES / f"{system}.md").read_text("utf-8")
    _, _, plan = page.partition("## The plan, line by line\n")
    return [Row(int(row[1]), int(row[2] or row[1]), row[3]) for row in ROW.finditer(plan)]


@pytest.mark.parametrize("system", ["learning", "prime", "workspace"])
def test_every_line_is_explained_once(system: str):
    lines = shipped_plan(system).read_text("utf-8").splitlines()
    explained = [number for row in rows(system) for number in range(row.first, row.last + 1)]
    assert explained == list(range(1, len(lines) + 1))


@pytest.mark.parametrize("system", ["learning", "prime", "workspace"])
def test_an_explanation_names_what_is_in_its_lines(system: str):
    lines = shipped_plan(system).read_text("utf-8").splitlines()
    for row in rows(system)[1:]:  # the first one explains comments
        text = "\n".join(lines[row.first - 1 : row.last])
        assert any(name in text for name in re.findall(r"`([^`]+)`", row.text)), row
