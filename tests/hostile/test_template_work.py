"""Whatever a template does, and whatever its values are, it ends soon: with a text or an error."""

from __future__ import annotations

import contextlib
import itertools
import json
from typing import Any

import pytest
from hypothesis import given, strategies as st
from jinja2.filters import FILTERS

from biblicus_context import TemplateError
from biblicus_context.text.templates.filters import PRICES
from biblicus_context.text.templates.template import compile_condition, compile_template
from tests.pace import within

TEXT = "a" * 1_000_000
ITEMS = ["x" * 10] * 100_000
WORDS = [str(number) for number in range(100_000)]
DEEP = json.loads("[" * 90 + "1" + "]" * 90)
VALUES: dict[str, Any] = {
    "t": TEXT,
    "spaces": " " * 1_000_000,
    "lines": "\n" * 1_000_000,
    "L": ITEMS,
    "W": WORDS,
    "lists": [["a"]] * 100_000,
    "deep": [DEEP] * 1_000,
    "r": range(10**10),
    "s": {*WORDS},
}


def doubled(first: str, twice: str, last: str) -> str:
    """A template that makes something twice as large forty times."""
    return f"{{% set a = {first} %}}" + f"{{% set a = {twice} %}}" * 40 + last


TOO_MUCH = {
    "nested loops": "{% for i in L %}{% for j in L %}{% endfor %}{% endfor %}",
    "a long body": "{% for i in L %}" + "y" * 100_000 + "{% endfor %}",
    "a long body in a block": "{% set a %}{% for i in L %}"
    + "y" * 9_999
    + "{% endfor %}{% endset %}",
    "joining": doubled("t", "a ~ a", "{{ a | length }}"),
    "adding": doubled("t", "a + a", "{{ a | length }}"),
    "adding lists": doubled("[1]", "a + a", "{{ a | length }}"),
    "a block twice": "{% set a = t %}" + "{% set a %}{{ a }}{{ a }}{% endset %}" * 40,
    "lists of lists, written": doubled("[1]", "[a, a]", "{{ a }}"),
    "lists of lists, joined": doubled("[1]", "[a, a]", "{{ a ~ '' }}"),
    "lists of lists, as JSON": doubled("[1]", "[a, a]", "{{ a | tojson }}"),
    "lists of lists, printed": doubled("[1]", "[a, a]", "{{ a | pprint }}"),
    "lists of lists, formatted": doubled("[1]", "[a, a]", "{{ '%r' | format(a) }}"),
    **{
        f"lists of lists, {name}": doubled("[1]", "[a, a]", f"{{{{ {expression} }}}}")
        for name, expression in {
            "as a pattern": "a | format(1)",
            "as a separator": "['x', 'y'] | join(a)",
            "wrapped": "a | wordwrap",
            "linked": "a | urlize",
            "indented": "a | indent",
            "replaced": "'x' | replace('x', a)",
        }.items()
    },
    "subtracting": "{% for x in L %}{% if s - s %}{% endif %}{% endfor %}",
    "lists of lists, compared": doubled("[1]", "[a, a]", "{% set b = [1] %}")
    + "{% set b = [b, b] %}" * 40
    + "{{ a == b }}",
    "escaping": "{{ t | " + "tojson | " * 40 + "length }}",
    "replacing": "{{ t | replace('a', t) | length }}",
    "joining by a text": "{{ L | join(t) | length }}",
    "indenting": "{{ lines | indent(t) | length }}",
    "wrapping by a text": "{{ t | wordwrap(1, wrapstring=t) | length }}",
    "wrapping spaces": "{{ spaces | wordwrap(1) | length }}",
    "indenting JSON": "{{ deep | tojson(indent=1000) | length }}",
    "adding up lists": "{{ lists | sum(start=[]) | length }}",
    "searching": "{% for x in W %}{{ x in W }}{% endfor %}",
    "selecting": "{{ W | select('in', W) | list | length }}",
    "slicing": "{% for x in L %}{% if t[1:] %}{% endif %}{% endfor %}",
    "comparing": "{% for x in L %}{% if t < t %}{% endif %}{% endfor %}",
    "reading": "{% for x in L %}{% set y = t | upper %}{% endfor %}",
    "mapping": "{{ t | map('upper') | map('lower') | list | length }}",
    "a range": "{{ r | list }}",
    "a loop over a range": "{% for x in r %}{% endfor %}",
    "sorting a range": "{{ r | sort }}",
}
REFUSED = (
    "{{ '%(a)500000000s' | format(a=1) }}",
    "{{ '%(a)s%(b)5000d' | format(a=1, b=2) }}",
    "{{ '%.5000f' % 1 }}",
    "{{ '%-+ 05000d' % 1 }}",
    "{{ '%((a))5000d' | format(a=1) }}",
    "{{ 30000000 | round(30000000, 'ceil') }}",
    "{{ 3.5 | round(-30000000, 'floor') }}",
    "{{ 3.5 | round(precision=30000000, method='ceil') }}",
    "{{ [3.5] | map('round', 30000000, 'ceil') | list }}",
    "{{ ['a'] | map('center', 5000) | list }}",
    "{{ [1] | slice(100000000) | list }}",
)


def refused_within(seconds: float, template: str, **more: Any) -> None:
    said = "reads or writes more than 20,000,000 characters"
    with within(seconds), pytest.raises(TemplateError, match=said):
        compile_template(template).render({**VALUES, **more})


@pytest.mark.parametrize("template", TOO_MUCH.values(), ids=TOO_MUCH)
def test_a_template_that_does_too_much_ends_soon(template: str):
    refused_within(15, template)


@pytest.mark.parametrize(
    "template",
    ["{% for x in n %}{% endfor %}", "{{ n | list }}", "{{ n | map('string') | join }}"],
)
def test_an_endless_value_ends_soon(template: str):
    refused_within(15, template, n=itertools.count())


@pytest.mark.parametrize("template", REFUSED)
def test_a_filter_takes_no_number_by_which_it_writes_without_bound(template: str):
    with pytest.raises(TemplateError, match=r"1000 at most|three digits"):
        compile_template(template).render({})


def test_every_filter_of_templates_has_a_price():
    assert set(FILTERS) - set(PRICES) == {"random"}


def test_a_condition_is_bounded_as_well():
    with pytest.raises(TemplateError, match="more than 20,000,000 characters"):
        compile_condition("W | select('in', W) | list").holds(VALUES)


def test_values_of_a_text_are_bounded_as_well():
    with pytest.raises(TemplateError, match="more than 20,000,000 characters"):
        compile_template("{t}" * 30).render(VALUES)


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{% for x in [1, 2] %}{{ loop.index }}/{{ loop.length }}{{ loop.last }} {% endfor %}",
         "1/2False 2/2True "),
        ("{% for x in [1, 2, 3] if x > 1 %}{{ x }}{% else %}none{% endfor %}", "23"),
        ("{{ 1 < 2 < 3 }} {{ 1 < 3 < 2 }} {{ 2 not in [1] }} {{ 'a' in 'abc' }}",
         "True False True True"),
        ("{{ [1, 2][:1] }}{{ 'abc'[::-1] }}{{ 'a' ~ 1 ~ none }}", "[1]cbaa1None"),
        ("{% autoescape true %}{{ t ~ '<' }}{% endautoescape %}", "&lt;&lt;"),
        ("{{ '%s of %s' % (1, 2) }}, {{ '%5.1f%%' | format(2.5) }}, {{ '%(a)s' % {'a': 1} }}",
         "1 of 2,   2.5%, 1"),
        ("{{ 3.55 | round(1, 'floor') }} {{ [[1], [2]] | sum(start=[]) }}", "3.5 [1,2]"),
        ("{{ t | wordwrap(4) }}{{ 'a b' | wordwrap(1, false, '|') }}", "<a|b"),
        ("{{ {'a': [1]} | tojson(indent=1) }}", '{\n "a": [\n  1\n ]\n}'),
        ("{{ t | indent(2, true) }}{{ ['a', 'b'] | join(', ') }}", "  <a, b"),
    ],
)  # fmt: skip
def test_ordinary_templates_write_what_they_wrote(template: str, text: str):
    assert compile_template(template).render({"t": "<"}) == text


def test_a_long_document_passes_through_filters():
    text = "A sentence of a document. " * 40_000
    template = "{{ t | trim | replace('. ', '.\n') | indent(2) }}"
    assert len(compile_template(template).render({"t": text})) > 1_000_000


expressions = st.recursive(
    st.sampled_from(["t", "L", "1", "'ab'", "[1, 'x']", "n", "30", "{'a': t}", "'%s'"]),
    lambda inner: (
        st.builds("({} {} {})".format, inner, st.sampled_from("+~*%<-"), inner)
        | st.builds("({} | {}({}))".format, inner, st.sampled_from(sorted(PRICES)), inner)
        | st.builds("({} | {})".format, inner, st.sampled_from(sorted(PRICES)))
        | st.builds("[{}, {}]".format, inner, inner)
        | st.builds("{}[{}:]".format, inner, inner)
    ),
    max_leaves=12,
)


@given(st.lists(expressions, min_size=1, max_size=6))
def test_any_template_ends_soon(sources: list[str]):
    template = "".join(
        f"{{% for n in [t, L] %}}{{% set t = {each} %}}{{{{ t }}}}{{% endfor %}}"
        for each in sources
    )
    text = ""
    with within(15), contextlib.suppress(TemplateError):
        text = compile_template(template).render({"t": "ab" * 5_000, "L": ITEMS[:5_000]})
    assert len(text) <= 20_000_000
