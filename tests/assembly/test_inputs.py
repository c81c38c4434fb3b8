"""The input contract of a context: what is missing, misspelt or of the wrong type is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from biblicus_context import ContextAssembler, ContextDeclaration, InputError
from tests.assembly.fakes import assembled


def shown(inputs: Any, template: str = "{{ input }}") -> dict[str, Any]:
    return {"inputs": inputs, "messages": [{"type": "user", "template": template}]}


QUESTION = {"question": {"type": "string", "example": "Where is my order?"}}


def test_a_missing_input_is_refused_with_its_name_its_type_and_an_example():
    with pytest.raises(InputError) as caught:
        assembled(shown(QUESTION), inputs={})
    assert str(caught.value) == (
        "context 'main': input 'question' is missing. Pass question (string, for example "
        "'Where is my order?'). Passed: none."
    )


def test_a_misspelt_input_is_refused_with_the_nearest_known_one():
    with pytest.raises(InputError, match=r"unknown input: found 'qestion'.*mean 'question'"):
        assembled(shown(QUESTION), inputs={"qestion": "?"})


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("string", ["", "text"], [1, None, ["a"], b"bytes"]),
        ("integer", [0, -1, 10**30], ["1", 1.0, True, None]),
        ("number", [0, 1.5, -2], ["1", True, None]),
        ("boolean", [True, False], [0, 1, "true", None]),
        ("array", [[], [1], (1, 2)], ["text", {"a": 1}, {1}, None]),
        ("object", [{}, {"a": 1}], [[], "text", None]),
        ("any", [None, 1, "x", [], {}, object()], []),
    ],
)
def test_a_value_has_to_be_of_the_type_that_is_declared(kind: str, good: list[Any], bad: list[Any]):
    context = shown({"value": {"type": kind}}, "x")
    for value in good:
        assert assembled(context, inputs={"value": value}).user_message == "x"
    for value in bad:
        with pytest.raises(InputError, match=rf"input 'value' must be of type {kind}"):
            assembled(context, inputs={"value": value})


def test_a_wrong_type_is_refused_with_the_value_and_an_example():
    with pytest.raises(InputError, match=r"found 7. Example: 'Where is my order\?'"):
        assembled(shown(QUESTION), inputs={"question": 7})


def test_a_default_stands_in_for_what_is_not_handed_in():
    context = shown({"lang": {"type": "string", "default": "en"}}, "{{ input.lang }}")
    assert assembled(context).user_message == "en"
    assert assembled(context, inputs={"lang": "de"}).user_message == "de"


def test_a_default_of_null_is_a_default():
    context = shown({"lang": {"default": None}}, "{{ input.lang is none }}")
    assert assembled(context).user_message == "True"


def test_an_optional_input_is_null_where_it_is_not_handed_in_and_may_be_null():
    context = shown({"order": {"type": "object", "required": False}}, "{{ input.order is none }}")
    assert assembled(context).user_message == "True"
    assert assembled(context, inputs={"order": None}).user_message == "True"
    assert assembled(context, inputs={"order": {}}).user_message == "False"


def test_a_context_without_a_contract_takes_any_inputs():
    context = {"messages": [{"type": "user", "template": "{{ input.anything }}"}]}
    assert assembled(context, inputs={"anything": 1, "more": 2}).user_message == "1"


def test_an_empty_contract_takes_no_inputs_but_what_retrievers_are_asked():
    with pytest.raises(InputError, match="unknown input: found 'question'"):
        assembled(shown({}), inputs={"question": "?"})
    context = shown({}, "{{ input.query }}")
    assert assembled(context, inputs={"query": "q", "message": "m"}).user_message == "q"


@pytest.mark.parametrize(
    "inputs",
    [
        ["question"],
        [{"name": "question", "type": "string"}],
        {"question": "string"},
        {"question": None},
        {"question": {}},
    ],
)
def test_a_contract_may_be_written_as_a_list_or_as_a_mapping(inputs: Any):
    context = shown(inputs, "{{ input.question }}")
    assert assembled(context, inputs={"question": "How?"}).user_message == "How?"
    with pytest.raises(InputError, match="input 'question' is missing"):
        assembled(context)


def test_an_input_that_is_listed_twice_is_refused():
    with pytest.raises(ValueError, match="input 'question' is declared twice"):
        ContextDeclaration(name="x", inputs=["question", {"name": "question"}])


def test_an_unknown_type_is_refused():
    with pytest.raises(ValueError, match="'string'"):
        ContextDeclaration(name="x", inputs={"question": {"type": "text"}})


def test_a_nested_context_is_checked_as_well_and_may_be_given_more_than_it_declares():
    inner = shown({"tone": {"type": "string"}, "lang": {"default": "en"}})
    inner["messages"] = [{"type": "system", "content": "{input.tone} {input.lang}"}]
    outer = {"messages": [{"type": "context", "name": "inner"}]}
    contexts = {"inner": inner}
    result = assembled(outer, contexts=contexts, inputs={"tone": "kind", "other": 1})
    assert result.system_prompt == "kind en"
    with pytest.raises(InputError, match="context 'inner': input 'tone' is missing"):
        assembled(outer, contexts=contexts, inputs={"other": 1})
    with pytest.raises(InputError, match="input 'tone' must be of type string"):
        assembled(outer, contexts=contexts, inputs={"tone": 3})


def test_a_default_of_a_nested_context_does_not_leak_into_the_outer_one():
    inner = {
        "inputs": {"lang": {"default": "en"}},
        "messages": [{"type": "system", "content": "{input.lang}"}],
    }
    outer = {
        "messages": [
            {"type": "context", "name": "inner"},
            {"type": "user", "template": "{{ input.lang | default('none') }}"},
        ]
    }
    assert assembled(outer, contexts={"inner": inner}).user_message == "none"


def test_inputs_are_checked_before_any_retriever_is_asked():
    asked: list[Any] = []
    context = {**shown(QUESTION), "messages": [{"type": "context", "name": "kb"}]}
    with pytest.raises(InputError):
        assembled(context, {"kb": asked.append})
    assert asked == []


@pytest.mark.parametrize("given_input", [[], None])
def test_no_inputs_may_arrive_as_an_empty_table_of_lua_or_as_nothing(given_input: Any):
    context = {"messages": [{"type": "user", "content": "x"}]}
    assert assembled(context, template_context={"input": given_input}).user_message == "x"


@pytest.mark.parametrize("given_input", ["text", ["a"], 3])
def test_inputs_that_are_no_mapping_are_refused(given_input: Any):
    with pytest.raises(InputError, match="inputs must be a mapping"):
        assembled(shown(None), template_context={"input": given_input})


def test_inputs_cannot_be_handed_in_twice():
    with pytest.raises(InputError, match="passed twice"):
        assembled(shown(None), inputs={"a": 1}, template_context={"input": {"b": 2}})


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        ({"user_message": 3}, "user_message must be text: found 'int'"),
        ({"base_system_prompt": ["x"]}, "base_system_prompt must be text: found 'list'"),
        ({"history": "hello"}, "history must be a list of messages"),
        ({"history": 3}, "history must be a list of messages"),
        ({"history": {"role": "user"}}, "history must be a list of messages"),
    ],
)
def test_arguments_of_the_wrong_type_are_refused_by_name(call: dict[str, Any], problem: str):
    with pytest.raises(InputError, match=problem):
        assembled({"messages": []}, **call)


def test_a_history_may_be_any_iterable_of_messages_and_none_is_empty():
    context = {"messages": [{"type": "history"}]}
    messages = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    assert assembled(context, history=iter(messages)).history == messages
    assert assembled(context, history=tuple(messages)).history == messages
    assert assembled(context, history_messages=None).history == []


@given(st.dictionaries(st.sampled_from("abcdef"), st.integers(), max_size=6))
def test_a_call_is_accepted_exactly_when_its_inputs_are_those_declared(values: dict[str, int]):
    context = shown({"a": "integer", "b": {"type": "integer", "default": 1}}, "x")
    assembler = ContextAssembler({"main": context})
    if "a" in values and set(values) <= {"a", "b"}:
        assert assembler.assemble("main", inputs=values).user_message == "x"
    else:
        with pytest.raises(InputError):
            assembler.assemble("main", inputs=values)
