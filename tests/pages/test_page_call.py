"""What a page shows besides messages: equal names, long histories, dropped texts, inputs, citations."""

from __future__ import annotations

import re

from hypothesis import given, strategies as st

from biblicus_context import ContextAssembler
from biblicus_context.pages.ghosts import struck
from biblicus_context.pages.markup import fragment
from biblicus_context.pages.page import page
from tests.assembly.fakes import Shelf
from tests.pages.assemblies import everything

PACK = {"type": "context", "name": "kb", "dedupe": False}


def shown(budget: int = 300, turns: int = 0, texts: tuple[str, ...] = ("One. Two. Three. " * 6,)):
    blocks = [{"evidence_item_id": f"e{n}", "text": text} for n, text in enumerate(texts)]
    plan = {
        "policy": {"input_budget": {"max_tokens": budget}},
        "messages": [PACK, PACK, {"type": "history"}, {"type": "user", "content": "{input.q}"}],
    }
    history = [{"role": "user", "content": f"turn {n}"} for n in range(turns)]
    assembler = ContextAssembler({"main": plan}, {"kb": Shelf(blocks)})
    return page(assembler.assemble("main", inputs={"q": "<b>Why?</b>"}, history=history))


def test_parts_of_equal_names_are_numbered():
    html = shown()
    assert "kb #1" in html
    assert "kb #2" in html
    assert "kb #3" not in html


def test_the_middle_of_a_long_history_is_folded_and_a_short_one_is_not():
    assert "32 more messages of the history</summary>" in shown(turns=40)
    assert "more messages" not in shown(turns=9)


def test_a_dropped_text_can_be_unfolded():
    html = shown(budget=30, texts=("Short.", "A very long <i>text</i> indeed. " * 20))
    assert "<summary>e1</summary>" in html
    assert "<del>A very long &lt;i&gt;text&lt;/i&gt; indeed." in html


def test_inputs_and_citations_are_shown_escaped():
    html = shown()
    assert "<dt>q</dt><dd>&lt;b&gt;Why?&lt;/b&gt;</dd>" in html
    assert '<section id="citations"><h2>Citations</h2>' in html


def test_the_pack_budget_and_the_facts_of_the_caller_are_among_the_figures():
    html = page(everything(), {"Plan": "contexts/<support>.yaml"})
    assert "<dt>Plan</dt><dd>contexts/&lt;support&gt;.yaml</dd>" in html
    assert "<dt>Pack budget</dt><dd>72</dd>" in html


@given(st.text(max_size=200), st.text(max_size=200))
def test_without_what_was_put_in_a_struck_text_has_the_words_that_were_offered(
    one: str, other: str
):
    html = re.sub(r"<ins>.*?</ins>", "", struck(one, other), flags=re.DOTALL)
    words = re.sub(r"</?del>", "", html).split()
    assert words == fragment(one).split()
