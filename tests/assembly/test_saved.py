"""A result as a file keeps it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings

from biblicus_context import BudgetError, ContextAssembler, LoadError
from biblicus_context.assembly.result.saved import saved_from, saved_in
from tests.assembly.strategies import Case, cases


@settings(max_examples=60)
@given(cases())
def test_what_is_saved_is_read_back_as_it_was(case: Case):
    try:
        result = ContextAssembler(**case.registries).assemble(**case.call)
    except BudgetError:
        return
    saved = saved_from(result)
    written = {**result.to_json(), "receipt": result.receipt.model_dump(mode="json")}
    assert saved_in({**json.loads(json.dumps(written)), "more": 1}, "a.json") == saved


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([], "a.json: not a saved result: Input should be"),
        ({}, "a.json: not a saved result: messages: Field required"),
        (
            {"messages": [1], "receipt": {}},
            "a.json: not a saved result: messages.0: Input should be",
        ),
    ],
)
def test_what_is_no_result_is_refused(value, said):
    with pytest.raises(LoadError) as refused:
        saved_in(value, "a.json")
    assert str(refused.value).startswith(said)
    assert str(refused.value).endswith("render NAME --format json > FILE")


def test_a_result_that_was_saved_with_the_former_names_is_read():
    context = {"messages": [{"type": "system", "content": "Hi."}, {"type": "history"}]}
    history = [{"role": "user", "content": "Hello."}]
    result = ContextAssembler({"main": context}).assemble("main", history=history)
    written = json.dumps(result.to_json())
    former = written.replace('"asked"', '"tokens_before"').replace('"given"', '"tokens_after"')
    assert former != written
    assert saved_in(json.loads(former), "a.json").receipt == result.receipt.without_timings()
