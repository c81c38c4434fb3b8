"""Rules about names: what they report, and what they do not report."""

from __future__ import annotations

import pytest

from biblicus_context import ContextAssembler
from biblicus_context.errors import ContextError
from biblicus_context.lint.engine.settings import LintSettings
from tests.lint.linting import found, only, report_of

NAMES = LintSettings(select=("BC2",))
PLAN = """\
kind: context
name: support
policy: {policy}
messages:
  - {{type: history}}
  - {{type: user, content: "{{input.question}}"}}
"""


def _codes(folder, text):
    return [code for code, _ in found(report_of(folder, text, NAMES))]


@pytest.mark.parametrize(
    ("policy", "code"),
    [
        ("{model: gtp-4o}", "BC211"),
        ("{counter: o200k}", "BC212"),
        ("{model: house-9, fallback_counter: character}", "BC212"),
        ("{counter: nosuch/tokenizer.json}", "BC212"),
        ("{window: 900, framing: opanai}", "BC213"),
        ("{window: 900, compactor: {type: summarize, using: ask}}", "BC214"),
        (
            "{window: 900, compactor: {type: chain, steps: [{type: summarize, using: ask}]}}",
            "BC214",
        ),
    ],
)
def test_the_engine_rejects_names_that_are_reported_as_unknown(policy, code, tmp_path):
    finding = only(report_of(tmp_path, PLAN.format(policy=policy), NAMES))
    assert finding.code == code
    assembler = ContextAssembler.from_path(tmp_path / "plan.yaml")
    with pytest.raises(ContextError):
        assembler.assemble("support", inputs={"question": "x"})


@pytest.mark.parametrize(
    "policy",
    [
        "{model: openai/gpt-4o-2024-08-06}",
        "{counter: cl100k_base, window: 900}",
        "{counter: gpt-4o, window: 900}",
        "{counter: whitespace, window: 900}",
        "{counter: 'tiktoken:o200k_base', window: 900}",
        "{window: 900, framing: {per_message: 3}}",
        "{window: 900, compactor: {type: summarize}}",
        "{window: 900, compactor: {type: chain, steps: [drop_blocks, {type: head_tail}]}}",
    ],
)
def test_names_that_the_engine_knows_are_not_reported(policy, tmp_path):
    assert _codes(tmp_path, PLAN.format(policy=policy)) == []


def test_the_nearest_names_are_listed(tmp_path):
    finding = only(report_of(tmp_path, PLAN.format(policy="{model: gpt-4oo}"), NAMES))
    assert finding.valid[0] == "gpt-4o"
    assert finding.place == (3, 10)


def test_names_are_looked_up_in_declared_policies_and_compactors_too(tmp_path):
    text = (
        PLAN.format(policy="small")
        + "---\nkind: policy\nname: small\nmodel: gtp-4o\ncompactor: careful\n"
        + "---\nkind: compactor\nname: careful\n"
        + "config: {type: summarize, using: ask, fallback: {type: summarize, using: tell}}\n"
    )
    assert found(report_of(tmp_path, text, NAMES)) == [
        ("BC211", 10),
        ("BC214", 15),
        ("BC214", 15),
    ]


def test_a_compactor_used_as_a_function_is_used(tmp_path):
    text = (
        PLAN.format(policy="{window: 900, compactor: {type: summarize, using: ends}}")
        + "---\nkind: compactor\nname: ends\nconfig: {type: head_tail}\n"
    )
    assert _codes(tmp_path, text) == []


@pytest.mark.parametrize(
    "declaration",
    [
        "kind: policy\nname: idle\nwindow: 900\n",
        "kind: retriever\nname: idle\n",
        "kind: corpus\nname: idle\n",
        "kind: compactor\nname: idle\nconfig: {type: tail}\n",
    ],
)
def test_an_unused_declaration_is_reported(declaration, tmp_path):
    text = f"{PLAN.format(policy='{window: 900}')}---\n{declaration}"
    assert found(report_of(tmp_path, text, NAMES)) == [("BC221", 9)]


def test_a_context_that_is_not_inserted_is_not_reported(tmp_path):
    assert _codes(tmp_path, "kind: context\nname: idle\n") == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("kb-search", "kb_search"),
        ("KB", "kb"),
        ("a.b", "ab"),
        ("ﬁne", "fine"),
        ("Straße", "strasse"),
    ],
)
def test_confusable_names_are_reported_at_the_second(one, other, tmp_path):
    text = f"kind: context\nname: {one}\n---\nkind: context\nname: {other}\n"
    assert found(report_of(tmp_path, text, NAMES)) == [("BC232", 5)]


@pytest.mark.parametrize(
    "text",
    [
        "kind: context\nname: kb\n---\nkind: context\nname: kb2\n",
        "kind: context\nname: +\n---\nkind: context\nname: '-'\n",
        "kind: context\nname: a b\n",
    ],
)
def test_different_names_are_not_reported(text, tmp_path):
    assert _codes(tmp_path, text) == []


@pytest.mark.parametrize("name", ["'a '", "' a'", "'a  b'"])
def test_a_name_with_extra_whitespace_is_reported(name, tmp_path):
    assert _codes(tmp_path, f"kind: context\nname: {name}\n") == ["BC234"]


def test_the_engine_builds_the_compactor_that_shadows_a_builtin(tmp_path):
    text = (
        PLAN.format(policy="{window: 900, compactor: tail}")
        + "---\nkind: compactor\nname: tail\nconfig: {type: truncate}\n"
    )
    assert found(report_of(tmp_path, text, NAMES)) == [("BC231", 9)]


@pytest.mark.parametrize("name", ["order-id", "2nd", "_hidden", "a b", "a.b"])
def test_an_invalid_input_name_is_reported(name, tmp_path):
    text = f"kind: context\nname: a\ninputs: {{'{name}': string}}\nmessages: []\n"
    assert _codes(tmp_path, text) == ["BC233"]


@pytest.mark.parametrize("quoted", ["\"{{ input['order-id'] }}\"", "'{{ input[\"order-id\"] }}'"])
def test_an_input_that_a_template_finds_by_its_quoted_name_is_not_reported(quoted, tmp_path):
    text = (
        "kind: context\nname: a\ninputs: {order-id: string}\n"
        f"messages:\n  - {{type: user, template: {quoted}}}\n"
    )
    assert _codes(tmp_path, text) == []
