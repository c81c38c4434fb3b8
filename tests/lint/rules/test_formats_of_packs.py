"""Rules about formats agree with the engine."""

from __future__ import annotations

import pytest

from biblicus_context.errors import ContextError
from biblicus_context.lint.engine.finding import Violation
from tests.lint.rules.harness import assembler_of, rule_named, violations

NOTES = """
---
kind: retriever
name: kb
"""


def plan(pack: str, more: str = NOTES) -> str:
    """A context with one pack."""
    return f"""\
kind: context
name: main
inputs: {{question: string, tone: string}}
messages:
  - {{type: context, name: kb{pack}}}
  - {{type: user, content: "{{input.question}}"}}{more}"""


def said(code: str, text: str) -> list[Violation]:
    """The findings of a rule in a text."""
    return violations(rule_named(code), text)


def fails(text: str) -> bool:
    """Whether a call that finds one block ends in an error."""
    try:
        assembler_of(text, lambda _: ["One."]).assemble(
            "main", inputs={"question": "q", "tone": "t"}
        )
    except ContextError:
        return True
    return False


@pytest.mark.parametrize(
    ("form", "unknown"),
    [
        ('item: "{content} {metadata.anything.at_all} {index}"', None),
        ('item: "{contents}"', "contents"),
        ('item: "{{ contents }}"', "contents"),
        ('item: "{% if titel %}{titel}{% endif %}{content}"', "titel"),
        ('item: "{% for tag in metadata.tags %}{{ tag }}{% endfor %}{content}"', None),
        ('items: {note: "{conten}"}', "conten"),
        ('cut_note: "{paths}"', "paths"),
        ('header: "{count} {vars.input.tone}"', None),
        ('header: "{content}"', "content"),
        ('footer: "{{ sources | length }} {sources.note}"', None),
        ('title: "{input.tone}"', "input"),
        ('empty: "{index}"', "index"),
        ('separator: "{content}"', None),
    ],
)
def test_an_unknown_name_in_a_format_is_reported_where_a_call_would_fail(
    form: str, unknown: str | None
) -> None:
    """In place, and in a declared format."""
    for text in (
        plan(f", format: {{{form}}}"),
        plan(", format: notes", f"{NOTES}---\nkind: format\nname: notes\n{form}\n"),
    ):
        found = [violation.found for violation in said("BC426", text)]
        assert [*dict.fromkeys(found)] == ([] if unknown is None else [unknown])
        assert fails(text) == (unknown is not None)


def test_the_title_of_a_pack_is_read_as_well() -> None:
    """It is a text of the format."""
    assert [each.found for each in said("BC426", plan(', title: "{contents}"'))] == ["contents"]


@pytest.mark.parametrize(
    ("code", "form"),
    [
        ("BC401", 'item: "{{ content"'),
        ("BC410", 'item: "{{ metadata._secret }}{content}"'),
        ("BC411", 'item: "{{ content | uppercase }}"'),
        ("BC412", 'item: "{{ content.upper() }}"'),
    ],
)
def test_mistakes_in_the_templates_of_a_format_are_those_of_every_template(
    code: str, form: str
) -> None:
    """They end a call in an error."""
    text = plan(", format: notes", f"{NOTES}---\nkind: format\nname: notes\n{form}\n")
    assert len(said(code, text)) == 1
    assert fails(text)


def test_an_input_that_a_format_uses_is_used() -> None:
    """By a text around blocks, in place or declared."""
    assert [each.found for each in said("BC406", plan(""))] == ["tone"]
    used = '{title: "In a {vars.input.tone} tone"}'
    assert said("BC406", plan(f", format: {used}")) == []
    declared = f'{NOTES}---\nkind: format\nname: notes\nfooter: "{{{{ vars.input.tone }}}}"\n'
    assert said("BC406", plan(", format: notes", declared)) == []
    assert said("BC403", plan(', title: "{vars.input.tonne}"'))[0].found is not None


def test_a_format_for_blocks_on_a_context_is_reported_for_each_key() -> None:
    """A named one is reported where it is named."""
    inner = """
---
kind: context
name: kb
messages:
  - {type: system, content: Be kind.}
---
kind: format
name: notes
title: A
item: "{content}"
fence: true
"""
    assert [each.place.line for each in said("BC515", plan(", format: notes", inner))] == [5, 5]
    assert fails(plan(", format: notes", inner))
    in_place = ", format: {title: A, footer: b, item: '- {content}'}"
    assert len(said("BC515", plan(in_place, inner))) == 1
    assert said("BC515", plan(", format: {title: A, footer: b}", inner)) == []
    assert not fails(plan(", format: {title: A, footer: b, empty: c}", inner))


@pytest.mark.parametrize(
    ("form", "number"),
    [
        ('item: "{{ content | upper }}", cut_note: " (cut)"', 1),
        ('item: "{content}{content}", cut_note: " (cut)"', 1),
        ('item: "{path}", items: {note: "{content}"}, cut_note: " (cut)"', 0),
        ('item: "{content}", cut_note: " (cut)"', 0),
        ('items: {note: "{path}"}, cut_note: " (cut)"', 0),
        ('item: "{contents}", cut_note: " (cut)"', 0),
    ],
)
def test_a_note_that_is_never_written_is_reported(form: str, number: int) -> None:
    """A block whose text is changed is dropped whole."""
    assert len(said("BC516", plan(f", format: {{{form}}}"))) == number
