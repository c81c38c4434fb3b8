"""A call that was made becomes a golden test, and golden tests are calls to begin with."""

from __future__ import annotations

from pathlib import Path

import pytest

from biblicus_context import ContextAssembler, ContextRetrieverRequest, load_project
from biblicus_context.errors import ContextError
from biblicus_context.golden import add_case, case_text, known_calls, recorded_case, run_tests

PLANS = """
kind: context
name: shop
policy: {input_budget: {max_tokens: 120}}
inputs: {question: {type: string}}
messages:
  - {type: system, content: You are kind.}
  - {type: context, name: lamps}
  - {type: context, name: both}
  - {type: history}
  - {type: user, content: "{input.question}"}
---
kind: retriever
name: lamps
config: {query: "{input.question}"}
---
kind: retriever
name: both
config:
  retriever_id: combined
  query: "{input.question}"
  of: [red, blue]
---
kind: retriever
name: red
---
kind: retriever
name: blue
"""
CALL = {
    "inputs": {"question": 'Where is "lamp 3"?'},
    "history": [{"role": "user", "content": "Hello\n- there: it is"}],
    "budget": 100,
}


def answered(name: str):
    def answer(request: ContextRetrieverRequest) -> list[dict[str, object]]:
        blocks = [
            {"id": f"{name}-{number}", "text": f"The {name} lamp {number} is in hall {number}."}
            for number in range(9)
        ]
        return blocks[request.offset : request.offset + request.limit]

    return answer


@pytest.fixture
def plans(tmp_path: Path) -> Path:
    (tmp_path / "contexts").mkdir()
    (tmp_path / "contexts" / "shop.yaml").write_text(PLANS, encoding="utf-8")
    return tmp_path / "contexts"


def recorded(plans: Path, name: str = "as it was") -> dict[str, object]:
    functions = {name: answered(name) for name in ("lamps", "red", "blue")}
    assembler = ContextAssembler.from_path(plans, retriever_functions=functions)
    result = assembler.assemble("shop", **CALL)
    return recorded_case(load_project(plans), result, name, CALL)


def test_a_recorded_call_is_a_golden_test_that_passes_without_its_retrievers(plans: Path):
    file = plans / "shop.recorded.test.yaml"
    add_case(file, recorded(plans), [plans])
    report = run_tests([file])
    assert [each.status for each in report.files[0].verdicts] == ["passed"]
    assert "lamps-0" in file.read_text(encoding="utf-8")


def test_a_recorded_call_fails_when_the_plan_grows(plans: Path):
    file = plans / "shop.recorded.test.yaml"
    add_case(file, recorded(plans), [plans])
    plan = plans / "shop.yaml"
    longer = PLANS.replace("You are kind.", "You are kind. " + "Think of everything. " * 20)
    plan.write_text(longer, encoding="utf-8")
    assert [each.status for each in run_tests([file]).files[0].verdicts] == ["failed"]


def test_cases_are_added_and_one_of_the_same_name_is_replaced(plans: Path):
    file = plans / "shop.recorded.test.yaml"
    for name in ("one", "two", "one"):
        add_case(file, recorded(plans, name), [plans])
    assert [each.name for each in known_calls([plans])] == ["two", "one"]


def test_a_file_that_somebody_wrote_is_left_alone(plans: Path):
    file = plans / "shop.recorded.test.yaml"
    by_hand = "kind: contexts-test\ndefaults: {context: shop}\ncases: [{name: mine}]\n"
    file.write_text(by_hand, encoding="utf-8")
    with pytest.raises(ContextError, match="more than recorded cases"):
        add_case(file, recorded(plans), [plans])
    assert file.read_text(encoding="utf-8") == by_hand


def test_of_a_retriever_that_knows_no_pages_the_tokens_alone_are_expected(plans: Path):
    blocks = [
        {"id": f"lamp-{number}", "text": f"The lamp {number} is in hall {number}."}
        for number in range(9)
    ]
    functions = {name: lambda _: blocks for name in ("lamps", "red", "blue")}
    result = ContextAssembler.from_path(plans, retriever_functions=functions).assemble(
        "shop", **CALL
    )
    file = plans / "shop.recorded.test.yaml"
    written = add_case(file, recorded_case(load_project(plans), result, "all", CALL), [plans])
    assert written["expect"] == {"tokens": {"max": result.token_count}}
    assert [each.status for each in run_tests([file]).files[0].verdicts] == ["passed"]


def test_a_case_that_does_not_come_out_again_is_not_written(plans: Path):
    case = {**recorded(plans), "expect": {"tokens": {"max": 3}}}
    with pytest.raises(ContextError, match="does not come out again"):
        add_case(plans / "new.test.yaml", case, [plans])
    assert not (plans / "new.test.yaml").exists()


def test_known_calls_have_the_arguments_of_the_tests_and_skip_broken_files(plans: Path):
    (plans / "shop.test.yaml").write_text(case_text([recorded(plans)]), encoding="utf-8")
    (plans / "broken.test.yaml").write_text("kind: contexts-test\ncases: [", encoding="utf-8")
    (call,) = known_calls([plans])
    assert (call.name, call.context) == ("as it was", "shop")
    assert call.arguments["inputs"] == CALL["inputs"]
    assert call.arguments["budget"] == 100
    assert [*call.history] == CALL["history"]
