"""Templates: placeholders and Jinja2 in one text, in a sandbox that calls nothing."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest
from hypothesis import given, strategies as st

from biblicus_context.errors import TemplateError
from biblicus_context.text.templates.template import compile_condition, compile_template


@dataclass
class User:
    """A plain object with a method."""

    name: str = "Ada"

    def shout(self) -> str:
        raise AssertionError("a method ran")

    @property
    def computed(self) -> str:
        raise AssertionError("a property ran")


NAMES = {
    "input": {"question": "Why?", "items": ["a", {"b": 2}], "nothing": None, "_hidden": "never"},
    "user": User(),
    "tricky": "{input.question} {{ input.question }} {# gone #}",
}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("{input.question}", "Why?"),
        ("{{ input.question }}", "Why?"),
        ("{input.question} {{ user.name | upper }}", "Why? ADA"),
        ("{input.items.1.b}{{ input.items.1.b }}{{ input['items'][1]['b'] }}", "222"),
        ("{{ input.items }} {input.items}", '["a",{"b":2}] ["a",{"b":2}]'),
        ("[{{ input.nothing }}{input.nothing}]", "[]"),
        ("{tricky}|{{ tricky }}", f"{NAMES['tricky']}|{NAMES['tricky']}"),
        ("{% raw %}{input.question} {{ x }}{% endraw %}{{ 1 }}", "{input.question} {{ x }}1"),
        ("{# {nope} {{ nope }} #}{{ 1 }}", "1"),
        ('{"json": {input.items}, "empty": {}} {{ 1 }}', '{"json": ["a",{"b":2}], "empty": {}} 1'),
        ("{{ '}} {input.question}' }}", "}} {input.question}"),
        ("{{ {'a': {'b': 1}}.a.b }}", "1"),
        ("{_private} {input._hidden} {{ 1 }}", "{_private} {input._hidden} 1"),
        ("{% for i in input['items'] %}{{ loop.index }}{% if not loop.last %},{% endif %}{% endfor %}", "1,2"),
        ("a\n  {%- if user %} {user.name}{% endif -%}  \n b", "a Adab"),
        ("{{ nope | default('none') }} {{ input.nope is defined }}", "none False"),
        ("{% set a = 3 %}{{ a * 2 }}", "6"),
        ("{{ '%03d' | format(7) }} {{ '%s' % user.name }}", "007 Ada"),
        ("ends with a line\n{{ 1 }}\n", "ends with a line\n1\n"),
        ("", ""),
    ],
)  # fmt: skip
def test_both_forms_work_in_one_template(source: str, expected: str) -> None:
    assert compile_template(source).render(NAMES) == expected


@pytest.mark.parametrize(
    "form", ["{ordr}", "{{ ordr }}", "{{ ordr.x }}", "{% if ordr %}{% endif %}"]
)
def test_an_unknown_name_is_an_error_with_its_line_and_the_nearest_name(form: str) -> None:
    template = compile_template(f"one\ntwo\n{form}", place="support.messages[1]")

    with pytest.raises(TemplateError) as caught:
        template.render({"order": 1, "input": 2})

    message = str(caught.value)
    assert message.startswith("support.messages[1], line 3: unknown name")
    assert "found 'ordr'. Valid: input, order. Did you mean 'order'?" in message


@pytest.mark.parametrize(
    "form", ["{input.quesiton}", "{{ input.quesiton }}", "{{ input['quesiton'] }}"]
)
def test_an_unknown_part_is_an_error_with_the_nearest_part(form: str) -> None:
    with pytest.raises(TemplateError, match=r"line 2: .*'quesiton'.*Did you mean 'question'\?"):
        compile_template(f"\n{form}{{{{ 1 }}}}").render(NAMES)


@pytest.mark.parametrize(
    "source",
    [
        "{{ user.shout() }}",
        "{{ 'x'.upper() }}",
        "{{ range(3) }}",
        "{{ lipsum() }}",
        "{{ dict(a=1) }}",
        "{% for x in [1] %}{{ loop.cycle(1, 2) }}{% endfor %}",
        "{% macro m() %}x{% endmacro %}{{ m() }}",
        "{% if false %}{{ user.shout() }}{% endif %}",
    ],
)
def test_nothing_can_be_called(source: str) -> None:
    with pytest.raises(TemplateError, match="line 1: templates cannot call"):
        compile_template(source)


@pytest.mark.parametrize(
    "source",
    [
        "{{ ''.__class__ }}",
        "{{ user.__init__ }}",
        "{{ user['__class__'] }}",
        "{{ user | attr('__class__') }}",
        "{{ [user] | map(attribute='__class__') | list }}",
        "{{ input._hidden }}",
        "{{ user.shout }}",
        "{{ user.computed }}",
        "{{ input.keys }}",
        "{{ range }}",
        "{{ cycler }}",
    ],
)
def test_nothing_but_data_can_be_reached(source: str) -> None:
    with pytest.raises(TemplateError, match="unknown name"):
        compile_template(source).render(NAMES)


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("{{ 'a' * 10**9 }}", "templates cannot raise to a power"),
        ("{{ 'a' * 1000000000 }}", "only multiply numbers"),
        ("{{ [1] * 1000000000 }}", "only multiply numbers"),
        ("{{ 1000000000 * 'a' }}", "only multiply numbers"),
        ("{{ 9 ** 9 ** 9 }}", "templates cannot raise to a power"),
        ("{{ 'a' | center(1000000000) }}", "1000 at most"),
        ("{{ 'a' | indent(width=1000000000) }}", "1000 at most"),
        ("{{ [1] | batch(1000000000, 0) | list }}", "1000 at most"),
        ("{{ '%1000000000d' | format(1) }}", "three digits"),
        ("{{ '%*d' % (1000000000, 1) }}", "three digits"),
        ("{% include 'x' %}", "cannot load other templates"),
        ("{% extends 'x' %}", "cannot load other templates"),
        ("{% import 'x' as y %}", "cannot load other templates"),
        ("{{ 1 + 'a' }}", "cannot be rendered: TypeError"),
        ("{{ 1 / 0 }}", "cannot be rendered: ZeroDivisionError"),
        ("{{ [1, 2] | random }}", "unknown filter 'random'"),
        ("{not} {{ 1 }}", "'not' is a word of the template language"),
    ],
)
def test_what_could_grow_without_bound_or_fail_is_a_clear_error(source: str, problem: str) -> None:
    with pytest.raises(TemplateError, match=problem):
        compile_template(source).render({})


@pytest.mark.parametrize(
    "source",
    ["{{ }}", "{% if %}", "{% endfor %}", "{{ a b }}", "{% for x %}", "{{ 'open }}", "{% if x %}"],
)
def test_a_syntax_error_has_its_line_and_what_the_line_reads(source: str) -> None:
    with pytest.raises(TemplateError) as caught:
        compile_template(f"first\n  {source}", place="here")

    assert str(caught.value).startswith("here, line 2: the template cannot be parsed")
    assert f"found {source!r}" in str(caught.value)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("{{ input.x", "'{{' is not closed: found '{{ input.x'. Close it with }}."),
        ("{% if x %}a", "'if' is not closed: found '{% if x %}a'. Close it with {% endif %}."),
        ("{# a", "'{#' is not closed: found '{# a'. Close it with #}."),
        ("{% endif %}", "'endif' without the 'if' before it: found '{% endif %}'"),
        (
            "{% for x in y %}{% endif %}",
            "'endif' has no place here, inside 'for': found '{% for x in y %}{% endif %}'. "
            "Close 'for' with {% endfor %}.",
        ),
        ("{% iff x %}", "unknown tag 'iff': found '{% iff x %}'. Did you mean 'if'?"),
        ("{{ x y }}", "unexpected 'y': expected '}}': found '{{ x y }}'"),
        (
            "{% if a = b %}{% endif %}",
            "unexpected '=': expected '%}': found '{% if a = b %}{% endif %}'. Compare with ==.",
        ),
        ("{{ a && b }}", "unexpected '&': found '{{ a && b }}'. Write 'and' for &&."),
        ("{{ (a }}", "')' is missing before '}': found '{{ (a }}'"),
        ("{{ 1 + }}", "the expression is not complete before '}}': found '{{ 1 + }}'"),
        ("{{ 'a }}", 'a quote is not closed: found "{{ \'a }}". Close the quote.'),
        ("{{ }}", "an expression is missing: found '{{ }}'"),
    ],
)
def test_a_syntax_error_is_said_in_plain_words(source: str, said: str) -> None:
    with pytest.raises(TemplateError) as caught:
        compile_template(source)

    assert str(caught.value) == f"line 1: the template cannot be parsed: {said}"


def test_errors_stay_readable_however_large_the_values_are() -> None:
    class Loud:
        def __str__(self) -> str:
            raise ValueError("x" * 100_000)

    with pytest.raises(TemplateError) as caught:
        compile_template("{{ loud }}").render({"loud": Loud()})

    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("{input.a} {b}", {"input", "input.a", "b"}),
        ("{{ context.kb }} {context.faq}", {"context", "context.kb", "context.faq"}),
        ("{{ context['kb'] }}", {"context", "context.kb"}),
        ("{{ context[name] }}", {"context", "name"}),
        ("{% for pack in context %}{{ pack.text }}{% endfor %}", {"context"}),
        (
            "{{ input.items.0.name }} {{ input.items[1] }}",
            {"input", "input.items.0.name", "input.items.1"},
        ),
        ("{% set a = b.c %}{{ a.d }}", {"b", "b.c"}),
        ("plain {} text", set()),
        ("{% raw %}{a}{% endraw %}{# {b} #}", set()),
    ],
)
def test_a_template_tells_which_names_it_uses(source: str, names: set[str]) -> None:
    assert compile_template(source).names == names


@given(st.text(max_size=40), st.sampled_from(["{v}", "{{ v }}", "{v}{{ '' }}"]))
def test_any_value_arrives_as_it_is(value: str, source: str) -> None:
    assert compile_template(source).render({"v": value}) == value


@given(st.text("{}%#'\"ab. \n-|", max_size=30))
def test_any_source_gives_a_text_or_a_template_error(source: str) -> None:
    try:
        text = compile_template(source).render({"a": 1, "b": {"a": 2}})
    except TemplateError:
        return
    assert isinstance(text, str)


@pytest.mark.parametrize(
    ("source", "holds"),
    [
        ("input.question == 'Why?'", True),
        ("input.nothing", False),
        ("'b' in input['items'][1] and user", True),
        ("input.nope is defined", False),
        ("not (1 > 2)", True),
        ("nope | default(false)", False),
    ],
)
def test_a_condition_holds_or_does_not(source: str, *, holds: bool) -> None:
    assert compile_condition(source).holds(NAMES) is holds


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("", "cannot be parsed"),
        ("a b", "cannot be parsed"),
        ("1 }} {{ 2", "cannot be parsed"),
        ("{% if 1 %}", "cannot be parsed"),
        ("user.shout()", "templates cannot call user.shout"),
        ("inptu.question", r"unknown name: found 'inptu'.*Did you mean 'input'\?"),
        ("input.quesiton == 1", r"Did you mean 'question'\?"),
        ("'a' * 10 == 'b'", "only multiply numbers"),
    ],
)
def test_a_wrong_condition_is_a_template_error_with_its_place(source: str, problem: str) -> None:
    with pytest.raises(TemplateError, match=problem) as caught:
        compile_condition(source, place="support.messages[0].when").holds(NAMES)

    assert str(caught.value).startswith("support.messages[0].when")


def test_a_condition_tells_which_names_it_uses() -> None:
    assert compile_condition("input.a == b and c is defined").names == {
        "input",
        "input.a",
        "b",
        "c",
    }


def test_a_template_is_compiled_once_for_each_place() -> None:
    assert compile_template("{{ a }}", place="x") is compile_template("{{ a }}", place="x")
    assert compile_template("{{ a }}", place="x") == compile_template("{{ a }}", place="y")


def test_many_threads_may_compile_and_render_at_once() -> None:
    def render(number: int) -> str:
        return compile_template(f"{{{{ n }}}} of {number % 7}").render({"n": number})

    with ThreadPoolExecutor(8) as pool:
        texts = list(pool.map(render, range(400)))

    assert texts == [f"{number} of {number % 7}" for number in range(400)]


def test_jinja_is_loaded_only_for_what_needs_it() -> None:
    program = (
        "import sys; from biblicus_context.text.templates.template import *;"
        "assert compile_template('{a} {b.c}').render({'a': 1, 'b': {'c': 2}}) == '1 2';"
        "assert 'jinja2' not in sys.modules;"
        "assert compile_condition('a').holds({'a': 1}); assert 'jinja2' in sys.modules"
    )

    subprocess.run([sys.executable, "-c", program], check=True)
