"""The page: one file that shows everything and runs nothing."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings

from biblicus_context import BudgetError, ContextAssembler
from biblicus_context.pages.markup import shown
from biblicus_context.pages.page import page
from biblicus_context.pages.wording import message_text
from tests.assembly.strategies import Case, cases
from tests.pages.assemblies import HOSTILE, everything

_LOADING = {"src", "srcset", "href", "action", "data", "poster", "background", "formaction"}
_EMPTY = {"meta"}


class Outline(HTMLParser):
    """What a page is made of: elements, their nesting, and the texts of its messages."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.messages: list[str] = []
        self._in_text = 0
        self._in_tip = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        self.elements.append((tag, attributes))
        if tag in _EMPTY:
            return
        self.open.append(tag)
        classes = (attributes.get("class") or "").split()
        if "text" in classes:
            self.messages.append("")
            self._in_text = len(self.open)
        if "tip" in classes:
            self._in_tip = len(self.open)

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1] == tag
        if len(self.open) == self._in_tip:
            self._in_tip = 0
        if len(self.open) == self._in_text:
            self._in_text = 0
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if self._in_text and not self._in_tip:
            self.messages[-1] += data


def outline(markup: str) -> Outline:
    found = Outline()
    found.feed(markup)
    found.close()
    return found


@settings(max_examples=60)
@given(cases(overflow=("compact", "none")))
def test_any_assembly_is_shown_word_for_word_and_every_element_is_closed(case: Case):
    try:
        result = ContextAssembler(**case.registries).assemble(**case.call)
    except BudgetError:
        return
    found = outline(page(result))
    assert found.open == []
    assert found.messages == [shown(message_text(message)) for message in result.messages]


def test_nothing_in_a_page_is_run_or_loaded():
    found = outline(page(everything()))
    tags = {tag for tag, _ in found.elements}
    assert tags.isdisjoint({"script", "img", "iframe", "object", "embed", "link", "form", "svg"})
    for _, attributes in found.elements:
        assert not any(name.startswith("on") for name in attributes)
        links = [value or "" for name, value in attributes.items() if name in _LOADING]
        assert all(link.startswith("#") for link in links)
    assert not re.search(r"url\(|@import|https?:", page(everything()).replace("http-equiv", ""))


def test_the_policy_of_the_page_forbids_scripts_and_every_request():
    (policy,) = (
        attributes["content"]
        for tag, attributes in outline(page(everything())).elements
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy == "default-src 'none'; style-src 'unsafe-inline'"


def test_hostile_text_is_shown_as_it_is():
    markup = page(everything(budget=400))
    assert shown(HOSTILE) in "".join(outline(markup).messages)
    assert "<script" not in markup


def test_links_and_descriptions_lead_to_what_is_there_once():
    found = outline(page(everything()))
    ids = [attributes["id"] for _, attributes in found.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    named = {
        str(value).removeprefix("#")
        for _, attributes in found.elements
        for name, value in attributes.items()
        if name in ("href", "aria-describedby")
    }
    assert named <= set(ids)


def test_the_same_assembly_is_the_same_page():
    assert page(everything()) == page(everything())


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        ({}, "of 120 tokens"),
        ({"overflow": "none"}, "<dt>Over the budget</dt>"),
        (
            {"model": "gpt-4o", "reserve": {"output_tokens": 500}},
            "<dt>Reserved for the answer</dt>",
        ),
        ({"model": "claude-sonnet-4-5"}, "about "),
    ],
)
def test_the_head_gives_the_figures_of_the_policy(policy, said):
    assert said in page(everything(**policy))


def test_a_plan_without_a_budget_or_a_message_has_a_page():
    markup = page(ContextAssembler({"main": {"messages": []}}).assemble("main"))
    assert "0</strong> tokens, no budget" in markup
    assert "Nothing is sent." in markup
    assert "No evidence was offered." in markup


def test_a_long_message_scrolls_in_a_box_that_the_keyboard_reaches():
    context = {"messages": [{"type": "user", "content": "word " * 2000}]}
    markup = page(ContextAssembler({"main": context}).assemble("main"))
    assert (
        '<div class="text long" tabindex="0" role="group" aria-label="Message 1 of 1: user"'
        in markup
    )
