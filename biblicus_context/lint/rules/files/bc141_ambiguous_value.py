"""BC141: an unquoted value that YAML readers interpret differently."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

import yaml

from biblicus_context.lint.engine.finding import Edit, Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.source.written_values import written_values
from biblicus_context.reading.yaml.tree import Place

_YAML_1_1: Final = yaml.SafeLoader.yaml_implicit_resolvers
_NUMBERS: Final = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")
_DATE: Final = "tag:yaml.org,2002:timestamp"
_BOOLEAN: Final = "tag:yaml.org,2002:bool"
_LONGEST: Final = 40
_WORD: Final = re.compile(r"[^ \t,\]}#]+")
_QUOTE: Final = "Put it in quotes to make it text."


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    """Values that YAML 1.1 and YAML 1.2 interpret differently."""
    found = written_values(plan, declared)
    for key in found.keys:
        yield from _in_text(plan, key.text, key.place)
    for node in found.values:
        if isinstance(node.value, str) and not node.style:
            yield from _in_text(plan, node.value, node.place)
        elif isinstance(node.value, int | float):
            yield from _in_number(plan, node.value, node.place)


def _in_text(plan: Plan, word: str, place: Place) -> Iterator[Violation]:
    tag = _tag(word)
    if tag is None or not _is_written_at(plan, word, place):
        return
    end = place._replace(column=place.column + len(word))
    yield Violation(
        place,
        f"the unquoted value is {_meaning(word, tag)} in YAML 1.1",
        found=word,
        advice=_QUOTE,
        edits=(Edit(place, end, f'"{word}"'),),
    )


def _in_number(plan: Plan, value: float, place: Place) -> Iterator[Violation]:
    match = _WORD.match(plan.lines[place.line - 1], place.column - 1)
    word = match[0] if match else ""
    if not word or word[0] not in "+-.0123456789" or _tag(word) in _NUMBERS:
        return
    number = _written_out(value)
    end = place._replace(column=place.column + len(word))
    yield Violation(
        place,
        "the number is text in YAML 1.1",
        found=word,
        advice=f"Write it without an exponent: {number}."
        if number
        else "Write it without an exponent.",
        edits=(Edit(place, end, number),) if number else (),
    )


def _tag(word: str) -> str | None:
    """The tag that YAML 1.1 gives a word without quotes; None for text and null."""
    for tag, expression in _YAML_1_1.get(word[:1], ()):
        if tag in (*_NUMBERS, _DATE, _BOOLEAN) and expression.match(word):
            return str(tag)
    return None


def _meaning(word: str, tag: str) -> str:
    if tag == _DATE:
        return "a date"
    if len(word) <= _LONGEST:
        with suppress(ValueError, yaml.YAMLError):
            value = yaml.safe_load(word)
            return str(value).lower() if isinstance(value, bool) else f"the number {value}"
    return "a number"


def _is_written_at(plan: Plan, word: str, place: Place) -> bool:
    """Whether the word is in the file as it is: not in quotes, and not after an anchor."""
    return plan.lines[place.line - 1].startswith(word, place.column - 1)


def _written_out(value: float) -> str | None:
    """The number without an exponent, if that is short and exact."""
    whole = int(value)
    text = str(whole) if whole == value else f"{value:f}".rstrip("0")
    return text if len(text) <= _LONGEST and float(text) == value else None


RULE = Rule(
    code="BC141",
    name="ambiguous-value",
    severity=Severity.WARNING,
    finds=(
        "A value without quotes is a boolean, a number or a date in YAML 1.1, and text in YAML "
        "1.2, or the other way round."
    ),
    why=(
        "The engine follows YAML 1.2, where `no` is text. Many editors and programs follow YAML "
        "1.1, where `no` is false, `12:30` is the number 750 and `2024-01-01` is a date. Such a "
        "program changes the plan when it saves the file."
    ),
    instead="Put the value in quotes; write numbers without an exponent.",
    bad="""\
kind: context
name: support
inputs:
  country: {type: string, default: no} # <- BC141
  opens: {type: string, default: 12:30} # <- BC141
  since: {type: string, default: 2024-01-01} # <- BC141
policy:
  input_budget: {max_tokens: 2e3} # <- BC141
messages:
  - type: system
    content: We are in {input.country}, open from {input.opens}, since {input.since}.
  - {type: history}
  - {type: user, template: "{{ input.question }}{{ off }}", vars: {off: ""}} # <- BC141
""",
    good="""\
kind: context
name: support
inputs:
  country: {type: string, default: "no"}
  opens: {type: string, default: "12:30"}
  since: {type: string, default: "2024-01-01"}
  question: string
policy:
  input_budget: {max_tokens: 2000}
messages:
  - type: system
    content: We are in {input.country}, open from {input.opens}, since {input.since}.
  - {type: history}
  - {type: user, content: "{input.question}"}
""",
    check=_check,
    depends_on=frozenset(),
)
