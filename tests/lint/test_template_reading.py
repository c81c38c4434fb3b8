"""Texts are taken apart as the engine understands them, and every place in them is exact."""

from __future__ import annotations

import pytest
from hypothesis import example, given, strategies as st

from biblicus_context.errors import TemplateError
from biblicus_context.lint.facts.templates.parsed_template import ParsedTemplate, parse_content
from biblicus_context.lint.facts.templates.parsing import parse_condition, parse_template
from biblicus_context.text.templates.placeholders import fill
from biblicus_context.text.templates.template import compile_condition, compile_template
from tests.lint.rules.harness import fewer

FRAGMENTS = st.sampled_from(
    [
        *("Hello ", "\n", "  ", "{", "}", "{ a }", "{{", "}}", "{%", "%}", "{#", "#}", "|", "'"),
        *("{a.b}", "{a.0}", "{if}", "{none.x}", "{_a}", "{{ a }}", "{{- a.b -}}", "{# note #}"),
        *("{{ a | upper }}", "{{ a | uper }}", "{{ a is odd }}", "{{ a is od }}", "{{ a['b'] }}"),
        *("{{ a.f() }}", "{{ f(a) }}", "{{ a._b }}", "{{ _a }}", "{{ a ~ b }}", "{{ 1 + }}"),
        *("{{ a | default('') }}", "{{ a if b else c }}", "{{ [a, b] | join }}", "{{ {'a': b} }}"),
        *("{% if a %}", "{% elif b %}", "{% else %}", "{% endif %}", "{% if %}", "{% fi %}"),
        *("{% for x in a %}", "{% for x, y in a.items %}", "{{ x }}", "{{ loop.index }}"),
        *("{% endfor %}", "{% set x = a %}", "{% set x %}", "{% endset %}", "{% raw %}"),
        *("{% endraw %}", "{% include 'x' %}", "{% import 'x' as y %}", "{% extends 'x' %}"),
        *("{% block a %}", "{% endblock %}", "{% macro m(a) %}", "{% macro m(caller) %}"),
        *("{% endmacro %}", "{% call m() %}", "{% endcall %}", "{% filter upper %}"),
        *("{% endfilter %}", "{% with x = a %}", "{% endwith %}", "{% for loop in a %}"),
        *("{{ a.b.c() }}", "{{ 'é' }}", "{{ a[0] }}", "{{ a[b] }}", "{% do a %}", "{{ 2 ** 3 }}"),
        *("{{ a | attr('_b') }}", "{% autoescape true %}", "{% endautoescape %}", "{{ 1 / 0 }}"),
    ]
)
TEMPLATES = st.lists(FRAGMENTS, max_size=7).map("".join)
EXPRESSIONS = st.lists(
    st.sampled_from(
        [
            *(
                "a",
                "a.b",
                "==",
                "'x'",
                "and",
                "not",
                "(",
                ")",
                "1",
                "|",
                "upper",
                "is",
                "odd",
                "in",
            ),
            *("{", "}", "[", "]", "f()", "=", "_a", ".", "'", "true", "}}", "{{", "if", ","),
        ]
    ),
    max_size=6,
).map(" ".join)
AT_ONCE = frozenset({"syntax", "call"})
"""What the engine refuses before it renders anything; the rest shows when it is reached."""


def refused(compiled, source: str) -> bool:
    try:
        compiled(source)
    except TemplateError:
        return True
    return False


def kinds(reading: ParsedTemplate) -> set[str]:
    return {mistake.kind for mistake in reading.mistakes}


@fewer
@given(TEMPLATES)
@example("{% block a %}{% endblock %}{% block a %}{% endblock %}")
@example("{% macro m(caller) %}{% endmacro %}")
@example("{% for loop in a %}{% endfor %}")
@example("{{ a }}{if}")
def test_a_template_has_a_mistake_exactly_where_the_engine_refuses_it(source: str):
    reading = parse_template(source)
    if refused(compile_template, source):
        assert reading.mistakes
    else:
        assert not kinds(reading) & AT_ONCE


@fewer
@given(EXPRESSIONS)
@example("")
@example("a) }} {{ (b")
def test_a_condition_has_a_mistake_exactly_where_the_engine_refuses_it(source: str):
    reading = parse_condition(source)
    if refused(compile_condition, source):
        assert reading.mistakes
    else:
        assert not kinds(reading) & AT_ONCE


@fewer
@given(TEMPLATES)
def test_the_names_of_a_template_are_those_the_engine_sees(source: str):
    reading = parse_template(source)
    if not reading.mistakes:
        names = {use.path for use in reading.uses}
        assert names <= compile_template(source).names
        for use in reading.uses:
            assert source[use.offset :].lstrip("{").startswith(use.first)


@fewer
@given(st.lists(st.sampled_from(["a ", "{a.b}", "{", "}", "{ x }", "\n", "{c}", "{{a.b}}"])))
def test_fixed_text_is_what_is_left_with_empty_values(parts):
    source = "".join(parts)
    assert parse_content(source).fixed == fill(source, {"a": {"b": ""}, "c": ""})


@fewer
@given(
    st.lists(
        st.sampled_from(["a ", "{a.b}", "{{ a.b }}", "{{- a.b -}}", " \n", "{# n #}", "{%- raw %}"])
    )
)
def test_fixed_text_of_jinja_is_what_is_left_with_empty_values(parts):
    source = "".join(parts) + "{% endraw %}" * parts.count("{%- raw %}")
    reading = parse_template(source)
    if not reading.mistakes:
        assert reading.fixed == compile_template(source).render({"a": {"b": ""}})


def only_mistake(reading: ParsedTemplate) -> tuple[str, int]:
    (mistake,) = reading.mistakes
    return mistake.kind, mistake.offset


@pytest.mark.parametrize(
    ("source", "kind", "at"),
    [
        ("one {{ a.b }", "syntax", "}"),
        ("one {% if a %} two {% if b %} {% endif %}", "syntax", "{% if a"),
        ("{% if a %}{% endif %} {% for x in a %}", "syntax", "{% for"),
        ("one {{ a b }}", "syntax", "b }}"),
        ("one {% fi a %}", "syntax", "fi"),
        ("one {{ 'two }}", "syntax", "'two"),
        ("one {{ a | }}", "syntax", "}}"),
        ("{{ a }} {not}", "syntax", "{not}"),
        ("one {{ a | uper }}", "filter", "uper"),
        ("one {{ a is od }}", "filter", "is od"),
        ("one {{ a.b.strip() }}", "call", "a.b"),
        ("one {{ (a ~ b)() }}", "call", "a ~"),
        ("one {% include 'x' %}", "call", "include"),
        ("one {{ a.b._c.d }}", "hidden", "._c"),
        ("one {{ a['_c'] }}", "hidden", "['_c"),
        ("one {{ (a | first)._c }}", "hidden", "._c"),
        ("one {{ a | attr('_c') }}", "hidden", "attr"),
        ("one {{ _a }}", "hidden", "_a"),
    ],
)
def test_a_mistake_stands_where_it_is(source: str, kind: str, at: str):
    assert only_mistake(parse_template(source)) == (kind, source.index(at))


def test_what_a_template_assigns_itself_is_no_name_it_uses():
    source = "{% for x in a.items %}{{ x.b }}{{ loop.index }}{% endfor %}{% set y = c %}{{ y }}"
    reading = parse_template(source)
    assert [use.path for use in reading.uses] == ["a.items", "c"]
    assert reading.looped == {"a.items"}
    assert [use.path for piece in reading.pieces for use in piece.uses] == ["a.items", "c"]


def test_what_is_tested_or_has_a_default_may_be_missing():
    source = "{{ a.b | default('') }}{% if c is defined %}{{ c.d }}{% endif %}{{ e }}"
    missing = {use.path: use.has_default for use in parse_template(source).uses}
    assert missing == {"a.b": True, "c": True, "c.d": True, "e": False}


def test_what_decides_about_other_text_is_a_guard():
    source = "{% if a.b %}1{% endif %}{{ 2 if c else 3 }}{{ d and d.e }}{{ f }}"
    assert parse_template(source).guards == {"a.b", "c", "d"}


def test_a_piece_knows_the_filters_its_value_passes_through():
    pieces = parse_template("{{ a | trim | e }}{{ b }}").pieces
    assert [piece.filters for piece in pieces] == [{"trim", "e"}, frozenset()]


def test_a_template_that_is_nested_too_deeply_is_a_mistake():
    assert only_mistake(parse_template("{{ " + "(" * 5000 + " }}"))[0] == "syntax"
    assert only_mistake(parse_condition("(" * 5000))[0] == "syntax"
    assert only_mistake(parse_template("{{ a" + ".b" * 5000 + " }}"))[0] == "syntax"
    assert refused(compile_template, "{{ a" + ".b" * 5000 + " }}")


def test_a_text_without_jinja_does_not_load_it():
    assert not parse_template("Hello {input.name}, {if}").mistakes
