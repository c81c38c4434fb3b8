"""A retriever may return texts, mappings and documents; what they have is in the blocks."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from biblicus_context import ContextAssembler, ContextPackBlock

CONTEXT = {"messages": [{"type": "context", "name": "kb"}], "policy": {"counter": "whitespace"}}


def assembled(answer: Any, **policy: Any) -> Any:
    context = {**CONTEXT, "policy": {**CONTEXT["policy"], **policy}}
    assembler = ContextAssembler({"main": context}, {"kb": lambda request: answer})
    return assembler.assemble("main")


def blocks(answer: Any) -> list[Any]:
    return [*assembled(answer).receipt.parts[0].blocks]


@pytest.mark.parametrize(
    "answer",
    [
        "Three days.",
        ["Three days."],
        ("Three days.",),
        [("Three days.", 0.5)],
        {"text": "Three days."},
        [{"text": "Three days."}],
        {"content": "Three days."},
        {"blocks": ["Three days."]},
        {"text": "", "blocks": [{"text": "Three days."}]},
        {"text": "Three days.", "blocks": []},
        {"text": "Three days.", "evidence_count": 1},
        {"documents": [SimpleNamespace(content="Three days.", meta={}, id="a", score=None)]},
        SimpleNamespace(page_content="Three days.", metadata={}, id=None),
        [SimpleNamespace(page_content="Three days.", metadata={}), "  ", {"text": None}],
        [ContextPackBlock(evidence_item_id="a", text="Three days.")],
    ],
)
def test_texts_mappings_and_documents_are_evidence(answer: Any):
    assert assembled(answer).system_prompt == "Three days."
    assert len(blocks(answer)) == 1


@pytest.mark.parametrize("answer", [[], (), "", " \n", {"documents": []}, {"blocks": []}, None])
def test_nothing_found_is_an_empty_pack(answer: Any):
    result = assembled(answer)
    assert (result.system_prompt, result.receipt.parts[0].blocks) == ("", ())


def test_fields_are_known_by_the_names_that_libraries_use():
    (block,) = blocks(
        [{"id": 7, "page_content": "Three days.", "metadata": {"source": "faq.md"}, "score": 1}]
    )
    assert (block.id, block.source, block.score) == ("7", "faq.md", 1.0)
    (block,) = blocks([{"text": "Three days.", "meta": {"file_path": "faq.md"}}])
    assert block.source == "faq.md"
    assert block.id.startswith("faq.md#")


def test_a_text_without_an_id_has_the_same_one_on_every_page():
    def ignores_the_offset(request: Any) -> list[str]:
        return ["One.", "Two.", "Three."]

    policy = {"input_budget": {"max_tokens": 90}, "expansion": {"max_pages": 4}}
    context = {
        **CONTEXT,
        "policy": {**CONTEXT["policy"], **policy, "pack_budget": {"default_ratio": 1}},
    }
    assembler = ContextAssembler({"main": context}, {"kb": ignores_the_offset})
    assert assembler.assemble("main").system_prompt == "One.\n\nTwo.\n\nThree."


def test_a_million_blocks_for_three_cost_no_more_than_a_thousand_and_the_receipt_says_so():
    result = assembled(["a word"] * 1_000_000)
    (note,) = result.receipt.notes
    assert note == (
        "pack 'kb': the retriever returned more than 1,000 blocks above its limit of 3; "
        "the rest was not read"
    )
    assert "note: pack 'kb'" in result.explain()
    assert assembled([f"word {number}" for number in range(100)]).receipt.notes == ()
