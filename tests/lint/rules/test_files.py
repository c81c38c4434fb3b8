"""Rules about files: what they report, and what they do not report."""

from __future__ import annotations

import pytest
import yaml

from biblicus_context.lint.engine.fixes import apply_fixes
from biblicus_context.lint.engine.settings import LintSettings
from biblicus_context.reading import read_documents
from tests.lint.linting import found, only, report_of, write

PLAN = """\
kind: context
name: support
inputs:
  question: string
  value: {{type: any, default: {value}}}
messages:
  - {{type: system, content: "{{input.value}}"}}
  - {{type: user, content: "{{input.question}}"}}
"""
SHAPE = LintSettings(select=("BC1",))


def _codes(folder, text):
    return [code for code, _ in found(report_of(folder, text, SHAPE))]


def _system(text: str) -> str:
    return f'kind: context\nname: support\nmessages:\n  - type: system\n    content: {text}\n  - {{type: user, content: "{{input.question}}"}}\n'


@pytest.mark.parametrize(
    ("word", "meaning"),
    [
        ("yes", "true"),
        ("No", "false"),
        ("ON", "true"),
        ("off", "false"),
        ("12:30", "the number 750"),
        ("190:20:30", "the number 685230"),
        ("1_000", "the number 1000"),
        ("0b101", "the number 5"),
        ("2024-01-01", "a date"),
        ("2024-13-45", "a date"),
        ("2024-01-01T10:00:00Z", "a date"),
        ("1_0" * 20, "a number"),
    ],
)
def test_a_value_that_yaml_1_1_reads_differently_is_quoted(word, meaning, tmp_path):
    report = report_of(tmp_path, PLAN.format(value=word))
    assert only(report).problem == f"the unquoted value is {meaning} in YAML 1.1"
    assert apply_fixes(PLAN.format(value=word), report.findings).text == PLAN.format(
        value=f'"{word}"'
    )


@pytest.mark.parametrize(
    ("number", "written"),
    [("1e3", "1000"), ("2E3", "2000"), ("1.5e3", "1500"), ("1e-2", "0.01")],
)
def test_a_number_that_yaml_1_1_reads_as_text_is_written_out(number, written, tmp_path):
    report = report_of(tmp_path, PLAN.format(value=number))
    assert only(report).code == "BC141"
    assert apply_fixes(PLAN.format(value=number), report.findings).text == PLAN.format(
        value=written
    )


def test_a_number_that_is_too_long_without_exponent_is_not_fixed(tmp_path):
    assert only(report_of(tmp_path, PLAN.format(value="1e300"))).edits == ()


@pytest.mark.parametrize(
    "value",
    [
        "true", "null", "~", "12", "-3.5", "1.0e+3", "y", "n", "Norway", "08:30", "1.2.3",
        "'no'", '"12:30"', "|-\n    no", "2024-1", "&a 12", "10.0.0.1", "a-1_000",
    ],
)  # fmt: skip
def test_a_value_that_all_readers_read_alike_is_not_reported(value, tmp_path):
    text = PLAN.format(value=value) if "|" not in value else PLAN.format(value="x")
    if "|" in value:
        text = _system("|-\n      no")
    assert "BC141" not in _codes(tmp_path, text)


def test_an_alias_does_not_repeat_a_finding(tmp_path):
    text = PLAN.format(value="x").replace(
        "question: string", "question: {default: &no no}\n  b: {default: *no}"
    )
    assert _codes(tmp_path, text).count("BC141") == 1 or _codes(tmp_path, text) == []


def test_the_yaml_1_1_resolver_agrees_with_the_rule():
    assert yaml.safe_load("no") is False
    assert yaml.safe_load("12:30") == 750
    assert yaml.safe_load("1e3") == "1e3"


@pytest.mark.parametrize("sign", ["\u200b", "\u202e", "\u2066", "\u00ad", "\U000e0041", "\u2060"])
def test_a_hidden_character_is_reported_once_per_line(sign, tmp_path):
    report = report_of(tmp_path, _system(f'"Be{sign}{sign} kind."'))
    assert only(report).code == "BC142"
    assert only(report).place == (5, 17)
    assert str(only(report).found).startswith(f"U+{ord(sign):04X} ")


@pytest.mark.parametrize(
    "text",
    [
        "می‌خواهم",
        "👩‍💻 ❤️",
        "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "שלום \u200f!",
        "Grüße, 日本語",
        "\\u200b",
    ],
)
def test_joiners_of_scripts_and_emoji_are_not_reported(text, tmp_path):
    assert _codes(tmp_path, _system(f'"{text}"')) == []


@pytest.mark.parametrize(
    ("text", "column", "lost"),
    [
        ("Answer ticket #12 first", 28, "#12 first"),
        ("Use the tag #urgent", 26, "#urgent"),
        ("Answer\n      ticket #12 first", 14, "#12 first"),
    ],
)
def test_text_lost_in_a_comment_is_reported_where_it_is_cut(text, column, lost, tmp_path):
    finding = only(report_of(tmp_path, _system(text), LintSettings(select=("BC143",))))
    assert (finding.place.column, finding.found) == (column, lost)


@pytest.mark.parametrize(
    "text",
    [
        "Be kind.  # a comment",
        "Be kind. # a comment",
        "Be kind. ## a comment",
        "Be kind. #",
        "'Ticket #12 first'",
        '"Ticket #12 first"',
        "|\n      Ticket #12 first",
        "Issue#12 first",
        "word #12",
    ],
)
def test_a_real_comment_is_not_reported(text, tmp_path):
    assert _codes(tmp_path, _system(text)) == []


@pytest.mark.parametrize(
    "text",
    [
        "Rules:\n- Be brief.\n- Be kind.",
        "Rules:\n1. Be brief.\n2. Be kind.",
        "# Rules\nBe brief.\n## More\n# Others",
        "a\n\nRules:\n* Be brief.\n* Be kind.\nb",
    ],
)
@pytest.mark.parametrize("sign", [">", ">-", ">+", "> # x"])
def test_a_folded_list_is_reported(text, sign, tmp_path):
    body = "\n".join(f"      {line}" if line else "" for line in text.split("\n"))
    assert _codes(tmp_path, _system(f"{sign}\n{body}")) == ["BC144"]


@pytest.mark.parametrize(
    ("sign", "text"),
    [
        ("|", "Rules:\n- Be brief.\n- Be kind."),
        (">", "Rules:\n\n- Be brief.\n\n- Be kind."),
        (">", "Rules:\n  - Be brief.\n  - Be kind."),
        (">", "A sentence\n- with a dash - in it\nthat goes on."),
        (">", "Be brief.\nBe kind."),
    ],
)
def test_a_list_that_keeps_its_lines_is_not_reported(sign, text, tmp_path):
    body = "\n".join(f"      {line}" if line else "" for line in text.split("\n"))
    assert _codes(tmp_path, _system(f"{sign}\n{body}")) == []


@pytest.mark.parametrize(
    "text",
    [r"'Be brief.\nBe kind.'", r"Be brief.\n\nbe kind.", r"'\n'", r"'List:\n- a'", r"'End.\n'",
     "'Two\n      lines.\\nMore'"],
)  # fmt: skip
def test_an_unprocessed_line_break_is_reported(text, tmp_path):
    assert _codes(tmp_path, _system(text)) == ["BC145"]


@pytest.mark.parametrize(
    "text",
    [
        r'"Be brief.\nBe kind."',
        r"Separate the lines with \n please.",
        r"'C:\new\names'",
        r"'Write `\n` between them.'",
        "|\n      print('a.\\nB')",
    ],
)
def test_an_intended_backslash_is_not_reported(text, tmp_path):
    assert _codes(tmp_path, _system(text)) == []


def test_a_used_anchor_is_not_reported(tmp_path):
    text = _system("&rules Be kind.") + "  - {type: user, content: *rules}\n"
    assert _codes(tmp_path, text) == []


def test_every_unused_anchor_is_reported_even_if_it_is_overwritten(tmp_path):
    text = _system("&a Be kind.") + "  - &b {type: user, content: &b x}\n"
    assert found(report_of(tmp_path, text, SHAPE)) == [("BC146", 5), ("BC146", 7)]


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("{type: integer, default: x}", "BC147"),
        ("{type: string, default: 3}", "BC147"),
        ("{type: array, default: {}}", "BC147"),
        ("{type: integer, example: x}", "BC148"),
        ("{type: boolean, example: 1}", "BC148"),
    ],
)
def test_a_value_of_the_wrong_type_is_reported(said, code, tmp_path):
    text = PLAN.format(value="x").replace("{type: any, default: x}", said)
    assert _codes(tmp_path, text) == [code]


def test_inputs_in_a_list_are_checked_as_well(tmp_path):
    text = _system("Be kind.").replace(
        "messages",
        "inputs:\n  - question\n  - {name: n, type: integer,\n     default: x}\nmessages",
    )
    assert found(report_of(tmp_path, text, SHAPE)) == [("BC147", 6)]


@pytest.mark.parametrize(
    "said",
    [
        "{type: integer, default: null}",
        "{type: integer, required: false}",
        "{type: number, default: 3, example: 4.5}",
        "string",
    ],
)
def test_a_value_of_the_right_type_is_not_reported(said, tmp_path):
    text = PLAN.format(value="x").replace("{type: any, default: x}", said)
    assert _codes(tmp_path, text) == []


@pytest.mark.parametrize(
    ("comment", "is_there"),
    [
        ("# yaml-language-server: $schema=s/a.json", True),
        ("#yaml-language-server: $schema=./s/a.json", True),
        ("# yaml-language-server: $schema=https://example.org/a.json", True),
        ("# yaml-language-server: $schema=s/b.json", False),
        ("# x\n\n---\n# yaml-language-server: $schema=s", False),
    ],
)
def test_the_schema_file_must_exist(comment, is_there, tmp_path):
    (tmp_path / "s").mkdir()
    (tmp_path / "s/a.json").touch()
    text = f"{comment}\n{_system('Be kind.')}---\n{_system('x').replace('support', 'more')}"
    assert _codes(tmp_path, text) == ([] if is_there else ["BC149"])


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("kind: x\n", "unknown-kind"),
        ("name: x\nkind: context\nmessages: [{type: x}]\n", "invalid-value"),
        ("name: ''\nkind: context\n", "empty-value"),
        ("name: x\nkind: policy\nwindow: 0\n", "value-out-of-range"),
        ("kind: context\nname: x\nfoo:\n\tbar: 1\n", "tab-indentation"),
        ("kind: context\nname: @x\n", "missing-quotes"),
        ("kind: context\nname: [x\n", "unclosed-bracket-or-quote"),
        ("kind: context\n name: x\n", "invalid-yaml"),
        ('kind: context\nname: "\\ud83d"\n', "lone-surrogate"),
        ('kind: context\nname: "\\x"\n', "invalid-yaml"),
    ],
)
def test_errors_of_the_reader_have_the_names_of_rules(text, name, tmp_path):
    assert name in {each.name for each in report_of(tmp_path, text).findings}


def test_documents_of_one_file_are_kept_apart(tmp_path):
    write(tmp_path, other=_system("Be\u200b kind."))
    assert _codes(tmp_path, _system("Be kind.").replace("support", "more")) == []


def test_the_engine_loads_plans_with_warnings():
    (document,) = read_documents(PLAN.format(value="no"), "plan.yaml")
    assert document.declaration.inputs["value"].default == "no"
