"""Texts of a plan: placeholders, templates, variables, and packs that they quote."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, strategies as st

from biblicus_context import ContextAssembler, PlanError, TemplateError
from tests.assembly.fakes import Shelf, assembled, plan, words
from tests.assembly.strategies import texts


def system(**fields: Any) -> dict[str, Any]:
    return {"type": "system", **fields}


KB = {"type": "context", "name": "kb"}


def test_content_fills_placeholders_and_leaves_every_other_brace():
    content = 'For {input.who}: {"a": {"b": 1}} {} {{ input.who }} {% if x %} {nobody}'
    result = assembled(plan(system(content=content)), inputs={"who": "Ada"})
    assert result.system_prompt == (
        'For Ada: {"a": {"b": 1}} {} {{ input.who }} {% if x %} {nobody}'
    )


def test_a_template_fills_placeholders_and_evaluates_jinja():
    template = "{input.who}:{% for one in input.items %} {{ loop.index }}={{ one }}{% endfor %}"
    result = assembled(plan(system(template=template)), inputs={"who": "Ada", "items": ["x", "y"]})
    assert result.system_prompt == "Ada: 1=x 2=y"


def test_dotted_paths_reach_into_mappings_lists_and_attributes():
    inputs = {"a": {"b": [{"c": "deep"}]}, "order": SimpleNamespace(number=7)}
    result = assembled(plan(system(content="{input.a.b.0.c} {input.order.number}")), inputs=inputs)
    assert result.system_prompt == "deep 7"


@pytest.mark.parametrize("field", ["content", "template"])
def test_vars_override_names_of_the_call_in_their_own_text_only(field: str):
    own = system(**{field: "{input.who} {tone}", "vars": {"tone": "kind", "input": {"who": "Bo"}}})
    after = system(content="{input.who}")
    result = assembled(plan(own, after), inputs={"who": "Ada"})
    assert result.system_prompt == "Bo kind\n\nAda"


def test_vars_are_values_not_templates():
    text = system(template="{{ a }} {b}", vars={"a": "{input.who}", "b": "{{ input.who }}"})
    result = assembled(plan(text), inputs={"who": "Ada"})
    assert result.system_prompt == "{input.who} {{ input.who }}"


def test_names_of_the_call_besides_input_may_be_used():
    result = assembled(
        plan(system(content="{user.name} {{user.name}}")), template_context={"user": {"name": "A"}}
    )
    assert result.system_prompt == "A {{user.name}}"


@pytest.mark.parametrize("text", [{"content": "{context.kb}"}, {"template": "{{ context.kb }}"}])
def test_a_text_may_quote_a_pack_placed_before_it(text: dict[str, str]):
    result = assembled(plan(KB, {"type": "user", **text}), {"kb": Shelf(["one", "two"])})
    assert (result.system_prompt, result.user_message) == ("one\n\ntwo", "one\n\ntwo")


def test_a_quoted_pack_is_the_text_that_is_placed_after_it_shrank():
    kb = Shelf([f"b{n} {words(9)}" for n in range(3)])
    context = plan(
        KB,
        {"type": "user", "template": "Say: {{ context.kb }}"},
        input_budget={"max_tokens": 45},
        compactor={"type": "drop_blocks"},
    )
    result = assembled(context, {"kb": kb})
    assert result.system_prompt.startswith(f"b0 {words(9)}")
    assert "b2" not in result.system_prompt
    assert result.user_message == f"Say: {result.system_prompt}"


@given(st.integers(1, 80), st.lists(st.integers(1, 12), max_size=5))
def test_a_quotation_equals_the_placed_text_at_any_budget(budget: int, sizes: list[int]):
    kb = Shelf([f"{words(size)} end{n}" for n, size in enumerate(sizes)])
    context = plan(
        KB, {"type": "user", "content": "{context.kb}"}, input_budget={"max_tokens": budget}
    )
    result = assembled(context, {"kb": kb})
    assert result.user_message == result.system_prompt
    assert result.token_count <= budget


def test_a_quotation_of_a_pack_that_had_to_go_is_empty():
    context = plan(
        KB,
        {"type": "user", "content": "Q: {context.kb}"},
        input_budget={"max_tokens": 2},
        compactor={"type": "drop_blocks"},
    )
    result = assembled(context, {"kb": Shelf([words(9)])})
    assert (result.system_prompt, result.user_message) == ("", "Q: ")


def test_what_the_caller_says_under_context_may_be_quoted_until_a_pack_has_that_name():
    context = plan(KB, {"type": "user", "content": "{context.mine} {context.kb}"})
    names = {"context": {"mine": "given", "kb": "never"}}
    result = assembled(context, {"kb": Shelf(["found"])}, template_context=names)
    assert result.user_message == "given found"


def test_a_retriever_query_that_quotes_an_earlier_pack_waits_for_it():
    first, second = Shelf(["order 66"]), Shelf(["found"])
    retrievers = {
        "first": {"config": {"query": "start"}},
        "second": {"config": {"query": "about {context.first}"}},
    }
    context = plan({"type": "context", "name": "first"}, {"type": "context", "name": "second"})

    def both(request: Any) -> Any:
        return (first if request.metadata["retriever"] == "first" else second)(request)

    assembled(context, retrievers, retriever_override=both)
    assert [request.query for request in first.requests + second.requests] == [
        "start",
        "about order 66",
    ]


def test_a_nested_context_may_quote_a_pack_of_the_outer_one():
    contexts = {"inner": plan(system(content="About: {context.kb}"))}
    context = plan(KB, {"type": "context", "name": "inner"})
    result = assembled(context, {"kb": Shelf(["found"])}, contexts)
    assert result.system_prompt == "found\n\nAbout: found"


def test_a_text_in_a_nested_context_may_quote_a_pack_beside_it():
    contexts = {"inner": plan(KB, system(content="About: {context.kb}"))}
    result = assembled(plan({"type": "context", "name": "inner"}), {"kb": Shelf(["x"])}, contexts)
    assert result.system_prompt == "x\n\nAbout: x"


def test_quoting_a_pack_that_is_nowhere_placed_is_an_error_that_names_those_that_are():
    handbook = {"type": "context", "name": "handbook"}
    context = plan(handbook, {"type": "user", "content": "{context.hadbook}"})
    with pytest.raises(TemplateError, match=r"messages\[1\].*found 'hadbook'.*mean 'handbook'"):
        assembled(context, {"handbook": Shelf(["found"])})


@pytest.mark.parametrize("field", ["content", "template"])
def test_an_unknown_input_is_an_error_with_the_nearest_known_name(field: str):
    text = {"type": "user", field: "a\nb {input.qestion}"}
    with pytest.raises(TemplateError, match=r"line 2: .*found 'qestion'.*mean 'question'"):
        assembled(plan(text), inputs={"question": "?"})


def test_an_unknown_first_name_stays_in_content_and_is_an_error_in_a_template():
    assert assembled(plan(system(content="{inptu.q}"))).system_prompt == "{inptu.q}"
    with pytest.raises(TemplateError, match=r"found 'inptu'.*Did you mean 'input'"):
        assembled(plan(system(template="{inptu.q}")))
    with pytest.raises(TemplateError, match=r"inptu.*Did you mean 'input'"):
        assembled(plan(system(template="{{ inptu.q }}")))


def test_a_template_that_cannot_be_parsed_names_its_place_and_line():
    with pytest.raises(TemplateError, match=r"context 'main' messages\[0\], line 2"):
        assembled(plan(system(template="a\n{% if %}")))


@pytest.mark.parametrize(
    ("when", "placed"),
    [
        ("input.n > 1", True),
        ("input.n > 2", False),
        ("not input.missing is defined", True),
        ("input.lang == 'de' and input.n", True),
        ("input.nothing", False),
    ],
)
def test_a_directive_is_placed_only_where_its_condition_holds(when: str, placed: bool):
    inputs = {"n": 2, "lang": "de", "nothing": []}
    result = assembled(plan(system(content="here", when=when)), inputs=inputs)
    assert result.system_prompt == ("here" if placed else "")


@pytest.mark.parametrize(
    "directive", [{"type": "history"}, KB, {"type": "user", "content": "x"}, {"first": ["x"]}]
)
def test_any_directive_may_have_a_condition_and_is_named_in_the_receipt(directive: Any):
    kb = Shelf(["found"])
    history = [{"role": "user", "content": "before"}]
    result = assembled(
        plan({**directive, "when": "input.no"}), {"kb": kb}, inputs={"no": 0}, history=history
    )
    assert (result.messages, kb.requests) == ([], [])
    (part,) = [part for part in result.receipt.parts if part.place == "messages[0]"]
    assert part.action == "not asked"
    assert part.reason == "when: input.no does not hold"


def test_a_plan_whose_user_directive_is_not_placed_takes_the_user_message_of_the_call():
    context = plan({"type": "user", "content": "mine", "when": "input.no"})
    result = assembled(context, inputs={"no": False}, user_message="yours")
    assert result.user_message == "yours"


def test_an_unknown_name_in_a_condition_is_an_error_at_its_place():
    with pytest.raises(TemplateError, match=r"messages\[0\].when.*'langauge'.*'language'"):
        assembled(plan(system(content="x", when="input.langauge")), inputs={"language": "de"})


@given(texts(8), texts(8), st.sampled_from(["content", "template"]))
def test_values_are_never_parsed_again(value: str, evidence: str, field: str):
    blocks = [evidence] if evidence else []
    context = {
        "messages": [
            KB,
            {"type": "user", field: "{input.v}|{context.kb}|{v}", "vars": {"v": value}},
        ]
    }
    result = assembled(context, {"kb": Shelf(blocks)}, inputs={"v": value})
    assert result.user_message == f"{value}|{result.system_prompt}|{value}"


def test_a_query_is_filled_with_values_that_are_never_parsed_again():
    kb = Shelf(["x"])
    retrievers = {"kb": {"config": {"query": "{input.a} {input.b} {other}"}}}
    assembled(
        plan(KB), retrievers, inputs={"a": "{input.b}", "b": "{{ 1 }}"}, retriever_override=kb
    )
    assert kb.requests[0].query == "{input.b} {{ 1 }} {other}"


@pytest.mark.parametrize(
    ("call", "query"),
    [
        ({"inputs": {"query": "q", "message": "m"}, "user_message": "u"}, "q"),
        ({"inputs": {"message": "m"}, "user_message": "u"}, "m"),
        ({"inputs": {"query": "", "message": "m"}}, "m"),
        ({"user_message": "u"}, "u"),
        ({}, ""),
    ],
)
def test_a_retriever_without_a_query_is_asked_the_question_of_the_call(
    call: dict[str, Any], query: str
):
    kb = Shelf(["x"])
    assembled(plan(KB), {"kb": kb}, **call)
    assert kb.requests[0].query == query


def test_an_unknown_name_in_a_query_is_an_error_that_names_the_retriever():
    retrievers = {"kb": {"config": {"query": "{input.qestion}"}}}
    with pytest.raises(TemplateError, match=r"retriever 'kb' query.*'qestion'.*'question'"):
        assembled(plan(KB), retrievers, inputs={"question": "?"}, retriever_override=Shelf([]))


def test_a_text_needs_exactly_one_of_content_and_template():
    for fields in ({}, {"content": "a", "template": "b"}):
        with pytest.raises(ValueError, match="must define either content or template"):
            assembled(plan({"type": "user", **fields}))


def test_a_ratio_of_a_budget_that_does_not_exist_is_an_error():
    with pytest.raises(PlanError, match="a ratio needs an input budget to be a part of"):
        assembled(plan({**KB, "budget": {"ratio": 0.5}}), {"kb": Shelf([])})


@pytest.mark.parametrize("written", ["default('English')", "d('English')"])
def test_an_input_that_was_not_passed_gets_the_default_of_a_template(written: str):
    text = "Answer in {{ input.language | " + written + " }}."
    context = {
        "inputs": {"language": {"required": False}},
        "messages": [{"type": "system", "template": text}],
    }
    assembler = ContextAssembler({"main": context})
    assert assembler.assemble("main").system_prompt == "Answer in English."
    said = assembler.assemble("main", inputs={"language": "French"}).system_prompt
    assert said == "Answer in French."
