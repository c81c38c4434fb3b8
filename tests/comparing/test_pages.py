"""`whatif` and `diff` as pages: one file each, without scripts, with every text escaped."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from biblicus_context import ContextAssembler
from biblicus_context.assembly.result.saved import SavedResult, saved_from
from biblicus_context.comparing.changes import difference
from biblicus_context.comparing.difference_page import difference_page
from biblicus_context.comparing.outcomes import what_if
from biblicus_context.comparing.what_if_page import what_if_page
from tests.assembly.fakes import Shelf

HOSTILE = "<script>alert(1)</script>"
PLAN = {
    "policy": {"counter": "whitespace", "pack_budget": {"default_max_tokens": 20}},
    "messages": [
        {"type": "system", "content": f"one two {HOSTILE}"},
        {"type": "context", "name": "kb"},
        {"type": "user", "content": "four five"},
    ],
}


class Words(HTMLParser):
    """The words of a page, and its tags."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += f"{data} " if self.tags[-1:] != ["style"] else ""


@pytest.fixture
def assembler() -> ContextAssembler:
    return ContextAssembler({"main": PLAN}, {"kb": Shelf(["a b c d", "e f g h"])})


def test_each_budget_has_a_bar_and_a_column(assembler: ContextAssembler) -> None:
    outcomes = what_if(
        lambda budget, _: assembler.assemble("main", budget=budget), [3, 9, 30], [None]
    )
    page = Words(what_if_page("main", outcomes))
    assert "3 tokens · needs 5" in page.text
    assert "does not fit" in page.text
    assert "9 tokens · 9 used" in page.text
    assert "30 tokens · 13 used" in page.text
    heads = page.tags.count("th") - len(outcomes) - 1
    assert heads == 3  # a row for each part
    assert page.tags.count("svg") == page.tags.count("script") == 0


def saved(system: str) -> SavedResult:
    plan = {**PLAN, "messages": [{"type": "system", "content": system}, *PLAN["messages"][1:]]}
    return saved_from(
        ContextAssembler({"main": plan}, {"kb": Shelf(["a b c d"])}).assemble("main", budget=30)
    )


def test_a_difference_shows_parts_prefix_and_texts() -> None:
    one, other = saved("be kind\nplease"), saved(f"be {HOSTILE}\nplease")
    page = Words(difference_page(("before", one), ("after", other), difference(one, other)))
    assert "script" not in page.tags
    assert f"+be {HOSTILE}" in page.text
    assert "-be kind" in page.text
    assert "First difference in messages[0], line 1, column 4" in page.text
    assert {"ins", "del"} <= {*page.tags}


def test_nothing_changed_is_said() -> None:
    same = saved("be kind")
    page = Words(difference_page(("a", same), ("b", same), difference(same, same)))
    assert "All of it is the same" in page.text
    assert "No message changed." in page.text
