"""Evidence in a fence is found again in any text that quotes it, and nothing else is."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from biblicus_context.ingest.quotations import quotations_in, without_quotations
from biblicus_context.retrieval.packs.block_format import citation_id, fence_tag, write_block
from biblicus_context.retrieval.packs.pack import ContextPackBlock
from biblicus_context.spec.format import FormatSpec
from tests.pace import within
from tests.retrieval import sparingly

WORDS = st.text(max_size=60) | st.sampled_from(
    ["</evidence-b4ed9ad4>", "<evidence-b4ed9ad4>", "[b]"]
)


def fenced(text: str, **form: object) -> str:
    block = ContextPackBlock(evidence_item_id="a.md#1", text=text or "x", source="a.md")
    form = {"fence": True, **form}
    return "".join(write_block(block, FormatSpec.model_validate(form), fence_tag("kb")))


@sparingly
@given(
    before=st.text(max_size=40),
    texts=st.lists(WORDS, max_size=4),
    metadata=st.booleans(),
    citations=st.sampled_from([None, "inline"]),
)
def test_whatever_a_fence_holds_is_one_quotation(
    before: str, texts: list[str], metadata: bool, citations: str | None
) -> None:
    form = {"metadata": metadata, "citations": citations}
    said = before.replace("<", "") + "".join(f"{fenced(text, **form)}; " for text in texts)
    found = quotations_in(said)
    assert len(found) == len(texts)
    rest = without_quotations(said, found, keep_lines=False)
    assert rest == before.replace("<", "") + "; " * len(texts)
    if citations:
        assert {each.id for each in found} <= {citation_id("a.md#1")}


def test_lines_can_stay_where_they_are() -> None:
    said = f"one\n{fenced('two')}\nthree"
    rest = without_quotations(said, quotations_in(said), keep_lines=True)
    assert rest.split("\n").index("three") == said.split("\n").index("three")


@pytest.mark.parametrize(
    "text",
    [
        "<evidence-b4ed9ad4> and no end",
        "</evidence-b4ed9ad4> and no beginning",
        "<evidence-b4ed9ad4> a </evidence-00000000>",
        "the <evidence-based> view </evidence-based>",
        "<EVIDENCE-b4ed9ad4> a </EVIDENCE-b4ed9ad4>",
    ],
)
def test_a_tag_without_its_counterpart_is_no_quotation(text: str) -> None:
    assert quotations_in(text) == ()


def test_the_nearest_opening_tag_counts() -> None:
    said = f"<evidence-b4ed9ad4> hostile words {fenced('two')}"
    (found,) = quotations_in(said)
    assert said[: found.start] == "<evidence-b4ed9ad4> hostile words "


def test_many_tags_that_are_never_closed_take_no_time() -> None:
    with within(2):
        assert quotations_in("<evidence-b4ed9ad4>" * 50_000) == ()
