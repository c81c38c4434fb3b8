"""What a retriever over a corpus chooses holds for a program that answers in its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from biblicus_context import ContextAssembler, ContextPack, ContextRetrieverRequest
from biblicus_context.assembly.result.receipt import ReceiptPart
from biblicus_context.errors import PlanError

FOUND = [
    {"evidence_item_id": "long", "text": "tea " * 60, "score": 0.9},
    {"evidence_item_id": "sure", "text": "Green tea.", "score": 0.5, "metadata": {"importance": 1}},
    {"evidence_item_id": "same", "text": "Green tea.", "score": 0.4},
    {"evidence_item_id": "weak", "text": "Black tea.", "score": 0.1},
]


def answer(request: ContextRetrieverRequest) -> ContextPack:
    page = FOUND[request.offset : request.offset + request.limit]
    return ContextPack.model_validate({"text": "", "evidence_count": len(page), "blocks": page})


def asked(folder: Path, config: dict[str, Any], *, corpus: bool = True) -> ReceiptPart:
    policy = {"input_budget": {"max_tokens": 100}, "pack_budget": {"default_ratio": 1.0}}
    own = {"retriever_id": "hybrid"} if corpus else {}
    assembler = ContextAssembler(
        {"ask": {"policy": policy, "messages": [{"type": "context", "name": "kb"}]}},
        {"kb": {"corpus": "notes", "config": {**own, "query": "tea", "limit": 9, **config}}},
        {"notes": {"config": {"root": str(folder)}}} if corpus else None,
    )
    return assembler.assemble("ask", retriever_override=answer).receipt.parts[0]


def placed(part: ReceiptPart) -> list[str]:
    return [each.id for each in part.blocks if each.given]


@pytest.mark.parametrize(
    ("config", "first", "causes"),
    [
        ({"rank": {"importance": 1}}, "sure", {"same": "duplicate"}),
        ({"min_score": 0.3}, "long", {"weak": "min_score", "same": "duplicate"}),
        ({"item_cap": 0.2}, "long", {"same": "duplicate"}),
        (
            {"select": {"type": "diverse_kinds", "share": 0.1, "strict": True}},
            "sure",
            {"long": "select"},
        ),
    ],
)
def test_its_blocks_are_chosen_as_the_plan_declares(
    tmp_path: Path, config: dict[str, Any], first: str, causes: dict[str, str]
) -> None:
    part = asked(tmp_path, config)
    assert placed(part)[0] == first
    lost = {each.id: each.cause for each in part.blocks if not each.given}
    assert {name: lost[name] for name in causes} == causes
    assert part.given <= 100


def test_a_cap_shortens_what_a_program_returned(tmp_path: Path) -> None:
    part = asked(tmp_path, {"item_cap": 0.2})
    assert placed(part) == ["long", "sure", "weak"]
    assert part.blocks[0].given <= 21


def test_without_such_a_setting_its_answer_is_placed_as_it_comes(tmp_path: Path) -> None:
    assert placed(asked(tmp_path, {})) == ["long", "sure", "same", "weak"]


def test_settings_of_another_library_are_its_own(tmp_path: Path) -> None:
    part = asked(tmp_path, {"rank": "bm25 of theirs"}, corpus=False)
    assert placed(part) == ["long", "sure", "same", "weak"]


def test_a_mistake_in_the_settings_is_reported_for_a_program_as_well(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match=r"retriever 'kb' config.*Did you mean 'importance'"):
        asked(tmp_path, {"rank": {"importanc": 1}})
