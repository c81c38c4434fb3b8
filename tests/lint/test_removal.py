"""A key is taken out of a mapping, and everything else stays as it was written."""

from __future__ import annotations

import json

import pytest
import yaml
from hypothesis import given, strategies as st

from biblicus_context.lint.engine.fixes import apply_fixes
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.source.removal import removal
from biblicus_context.reading import PlanDocument, read_documents
from tests.lint.rules.harness import fewer, plans_of, rule_named

RULE: Rule = rule_named("BC417")
HEAD = "kind: context\nname: x\nmessages:\n"


def without(text: str, *path: str | int) -> str | None:
    """The text once the key is removed; None where no edit is offered."""
    (plan,) = plans_of(text)
    edits = removal(plan, path)
    if not edits:
        return None
    violation = plan.violation(path, "remove this", edits=edits)
    changed = apply_fixes(text, [RULE.finding("plan.yaml", violation)])
    assert changed.applied
    return changed.text


def vars_without(entry: str, key: str = "b") -> str | None:
    """A directive whose variables are written in this way, without one of them."""
    changed = without(f"{HEAD}  - type: user\n    content: c\n{entry}", "messages", 0, "vars", key)
    return changed and changed.removeprefix(f"{HEAD}  - type: user\n    content: c\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("    vars:\n      a: 1\n      b: 2\n", "    vars:\n      a: 1\n"),
        ("    vars:\n      b: 2\n      a: 1\n", "    vars:\n      a: 1\n"),
        ("    vars:\n      a: 1\n      b: 2", "    vars:\n      a: 1\n"),
        ("    vars:\n      b: 2  # two\n      a: 1\n", "    vars:\n      # two\n      a: 1\n"),
        (
            "    vars:\n      # two\n      b: 2\n      a: 1\n",
            "    vars:\n      # two\n      a: 1\n",
        ),
        ("    vars:\n      b: [1, {c: ']'}]\n      a: 1\n", "    vars:\n      a: 1\n"),
        ("    vars:\n      b: 'it''s # 2'\n      a: 1\n", "    vars:\n      a: 1\n"),
        ("    vars:\n      b: -2\n\n      a: 1\n", "    vars:\n\n      a: 1\n"),
        ("    vars: {a: 1, b: 2}\n", "    vars: {a: 1}\n"),
        ("    vars: {b: 2, a: 1}\n", "    vars: {a: 1}\n"),
        ("    vars: {a: 1, b: two words, c: 3}  # x\n", "    vars: {a: 1, c: 3}  # x\n"),
        ('    vars: {a: 1, "b": "2, {3}"}\n', "    vars: {a: 1}\n"),
        ("    vars: {b: {c: [1, 2]},\n      a: 1}\n", "    vars: {\n      a: 1}\n"),
    ],
)
def test_what_is_removed_takes_its_line_or_its_comma_with_it(before: str, after: str):
    assert vars_without(before) == after


@pytest.mark.parametrize(
    "entry",
    [
        "    vars: {b: 2}\n",
        "    vars:\n      a: 1\n      b: |\n        two\n",
        "    vars:\n      a: 1\n      b: two\n        lines\n",
        "    vars:\n      a: 1\n      b:\n        - 2\n",
        "    vars:\n      a: 1\n      b: [2,\n        3]\n",
        "    vars:\n      a: &one 1\n      b: 2\n",
        "    vars: {a: 1,\n      b: 2\n      }\n",
        "    vars: {a: 1}\n",
    ],
)
def test_nothing_is_offered_where_more_than_a_line_or_less_than_a_key_would_go(entry: str):
    assert vars_without(entry) is None


@pytest.mark.parametrize(
    ("entry", "after"),
    [
        (
            "  - priority: 1\n    type: system\n    content: c\n",
            "  - type: system\n    content: c\n",
        ),
        ("  - priority: 1  # x\n    type: system\n    content: c\n", None),
        ("  - priority: 1\n    # x\n    type: system\n    content: c\n", None),
    ],
)
def test_the_key_behind_a_dash_leaves_its_place_to_the_next_one(entry: str, after: str | None):
    changed = without(HEAD + entry, "messages", 0, "priority")
    assert changed == (after and HEAD + after)


values = st.one_of(
    st.integers(-5, 5),
    st.booleans(),
    st.none(),
    st.text("ab ,:{}[]#'\"\\-&*!|>\n", max_size=8),
    st.lists(st.integers(0, 3), max_size=2),
    st.dictionaries(st.sampled_from("cd"), st.text("e, }#", max_size=4), max_size=2),
)


@fewer
@given(
    st.dictionaries(st.sampled_from("klmno"), values, min_size=1, max_size=4),
    st.data(),
    st.sampled_from([True, False, None]),
)
def test_what_stays_means_what_it_meant(variables, data, flow):
    key = data.draw(st.sampled_from(sorted(variables)))
    plan = {
        "kind": "context",
        "name": "x",
        "messages": [{"type": "user", "content": "c", "vars": variables}],
    }
    text = yaml.safe_dump(plan, default_flow_style=flow, sort_keys=False, width=1000)
    changed = without(text, "messages", 0, "vars", key)
    if changed is not None:
        expected = json.loads(json.dumps(plan))
        del expected["messages"][0]["vars"][key]
        (document,) = read_documents(changed, "plan.yaml")
        assert isinstance(document, PlanDocument), document
        assert document.tree.root.value == expected
