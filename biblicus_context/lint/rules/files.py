"""Files: keys, values and YAML: what is refused, and what is misread."""

from __future__ import annotations

import re
import unicodedata
from contextlib import suppress
from functools import partial
from itertools import islice, pairwise
from pathlib import Path
from typing import Final, NamedTuple

import yaml

from biblicus_context.lint.engine.finding import Edit, Severity, Violation, Violations
from biblicus_context.lint.engine.rule import rule, rules_of_reader
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.source.written_values import written_values
from biblicus_context.lint.facts.templates.inputs import (
    DeclaredInput,
    declared_inputs,
    rejected_value,
)
from biblicus_context.reading.yaml.tree import Node, Place

FOUND_BY_READER: Final = rules_of_reader(
    __name__,
    {
        "BC101": "unknown-key",
        "BC102": "missing-key",
        "BC103": "unknown-kind",
        "BC104": "invalid-value",
        "BC105": "wrong-type",
        "BC106": "value-out-of-range",
        "BC107": "empty-value",
        "BC108": "conflicting-keys",
        "BC109": "duplicate-history",
        "BC110": "duplicate-input",
        "BC111": "duplicate-key",
        "BC112": "non-text-key",
        "BC113": "ambiguous-number",
        "BC114": "number-too-large",
        "BC115": "yaml-tag",
        "BC116": "yaml-directive",
        "BC117": "invalid-merge-key",
        "BC118": "unknown-alias",
        "BC119": "recursive-alias",
        "BC120": "lone-surrogate",
        "BC121": "control-character",
        "BC122": "invalid-utf-8",
        "BC123": "invalid-yaml",
        "BC124": "tab-indentation",
        "BC125": "missing-quotes",
        "BC126": "unclosed-bracket-or-quote",
        "BC127": "empty-document",
        "BC128": "nesting-too-deep",
        "BC129": "too-many-aliases",
        "BC130": "too-many-values",
        "BC131": "too-many-documents",
        "BC132": "too-many-problems",
        "BC133": "file-too-large",
        "BC134": "unreadable-file",
        "BC135": "empty-folder",
        "BC136": "invalid-text-file",
    },
)


# Values and characters that are not what they look like.

_YAML_1_1: Final = yaml.SafeLoader.yaml_implicit_resolvers
_NUMBERS: Final = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")
_DATE: Final = "tag:yaml.org,2002:timestamp"
_BOOLEAN: Final = "tag:yaml.org,2002:bool"
_LONGEST: Final = 40
_WORD: Final = re.compile(r"[^ \t,\]}#]+")


@rule("BC141", "ambiguous-value", Severity.WARNING, depends_on=())
def ambiguous_value(plan: Plan, declared: Declarations) -> Violations:
    """Values that YAML 1.1 and YAML 1.2 interpret differently."""
    found = written_values(plan, declared)
    for key in found.keys:
        yield from _ambiguous_word(plan, key.text, key.place)
    for node in found.values:
        if isinstance(node.value, str) and not node.style:
            yield from _ambiguous_word(plan, node.value, node.place)
        elif isinstance(node.value, int | float):
            yield from _ambiguous_number(plan, node.value, node.place)


def _ambiguous_word(plan: Plan, word: str, place: Place) -> Violations:
    tag = _tag(word)
    if tag is None or not _is_written_at(plan, word, place):
        return
    end = place._replace(column=place.column + len(word))
    yield Violation(
        place,
        f"the unquoted value is {_meaning(word, tag)} in YAML 1.1",
        found=word,
        advice="Put it in quotes to make it text.",
        edits=(Edit(place, end, f'"{word}"'),),
    )


def _ambiguous_number(plan: Plan, value: float, place: Place) -> Violations:
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
        advice=f"Write it without an exponent{f': {number}' if number else ''}.",
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


# Joiners and direction marks belong to many scripts, and tag characters to some flags, so they
# are not listed here.
_FLAG: Final = "\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f"
_DECEPTIVE: Final = re.compile(
    f"{_FLAG}|(?P<sign>[\u00ad\u180e\u200b\u202a-\u202e\u2060-\u2064\u2066-\u2069\U000e0000-\U000e007f])"
)


@rule("BC142", "hidden-character", Severity.WARNING, depends_on=())
def hidden_character(plan: Plan, _: Declarations) -> Violations:
    """The first hidden character of each file with a text, and of each line of the plan."""
    for path, file in plan.document.text_files.items():
        found = _first_hidden(file.text)
        if found is not None:
            yield plan.in_text_file(
                path,
                found.start(),
                "hidden character",
                found=_sign_name(found["sign"]),
                advice="Remove it, or write the text in the plan, with an escape in double quotes.",
            )
    lines = [] if plan.text.isascii() else re.split(r"\r\n|\r|\n", plan.text)
    for number, line in enumerate(lines, plan.document.tree.first_line):
        found = _first_hidden(line)
        if found is not None:
            yield Violation(
                Place(number, found.start() + 1),
                "hidden character",
                found=_sign_name(found["sign"]),
                advice='Remove it, or write it as an escape in double quotes, such as "\\u200B".',
            )


def _first_hidden(text: str) -> re.Match[str] | None:
    return next((match for match in _DECEPTIVE.finditer(text) if match["sign"]), None)


def _sign_name(sign: str) -> str:
    return f"U+{ord(sign):04X} {unicodedata.name(sign, '')}".rstrip()


# Texts that end early, or whose lines are joined.

# People write a space, or a row of further signs, after the '#' of a real comment.
_CUT: Final = re.compile(r"(?<![ \t])[ \t]+(?P<lost>#[^\s#].*)")


@rule("BC143", "accidental-comment", Severity.WARNING, depends_on=())
def accidental_comment(plan: Plan, declared: Declarations) -> Violations:
    """Sentences without quotes that end at a `#` followed by a letter."""
    for node in written_values(plan, declared).values:
        if isinstance(node.value, str) and not node.style and " " in node.value:
            lost = _lost_to_comment(plan, node)
            if lost:
                yield Violation(
                    lost[0],
                    "the text ends here, because '#' begins a comment",
                    found=lost[1],
                    advice="Put the text in quotes, or put a space after the '#' of a comment.",
                )


def _lost_to_comment(plan: Plan, node: Node) -> tuple[Place, str] | None:
    """The comment after a text on its last line, if it may belong to the text."""
    line = plan.lines[node.last_line - 1]
    if node.last_line == node.place.line:
        match = _CUT.match(line, node.place.column - 1 + len(str(node.value)))
    else:
        match = _CUT.search(line)
    if match is None:
        return None
    return Place(node.last_line, match.start("lost") + 1), match["lost"].rstrip()


_ITEM: Final = re.compile(r"(?:[-*+•]|\d{1,3}[.)]|#{1,6})[ \t]+\S")
_FEWEST: Final = 2


@rule("BC144", "list-in-folded-text", Severity.WARNING, depends_on=())
def list_in_folded_text(plan: Plan, declared: Declarations) -> Violations:
    """Texts after `>` with at least two joined lines that look like list items."""
    for node in written_values(plan, declared).values:
        if node.style == ">" and node.value:  # the lines of an empty text are those of others
            joined = _joined_items(_lines_of_block(plan, node))
            if len(joined) >= _FEWEST:
                number, indent, text = joined[0]
                yield Violation(
                    Place(number, indent + 1),
                    "'>' joins these lines into one",
                    found=text,
                    advice="Begin the text with '|' to keep line breaks.",
                )


class _Line(NamedTuple):
    number: int
    indent: int
    text: str

    @property
    def is_item(self) -> bool:
        return bool(_ITEM.match(self.text))


def _lines_of_block(plan: Plan, node: Node) -> list[_Line]:
    """The lines of a block text: those indented as far as the first one or further, and empty ones."""
    lines: list[_Line] = []
    outermost = None
    for number in range(node.place.line + 1, len(plan.lines) + 1):
        line = plan.lines[number - 1]
        indent, text = len(line) - len(line.lstrip()), line.strip()
        outermost = indent if text and outermost is None else outermost
        if text and outermost is not None and indent < outermost:
            break
        lines.append(_Line(number, indent, text))
    return lines


def _joined_items(lines: list[_Line]) -> list[_Line]:
    """Lines that look like list items and are joined to the line before."""
    outermost = min((line.indent for line in lines if line.text), default=0)
    return [
        line
        for before, line in pairwise(lines)
        if line.is_item and before.text and before.indent == line.indent == outermost
    ]


_ESCAPE: Final = "\\n"
# Twice in a row, at the beginning, or between two sentences; not in a path such as C:\new, and not
# where a text is about line breaks.
_MEANT: Final = re.compile(r"\\n\\n|^\\n|(?<=[\w.,:;!?})\]])\\n(?=[A-Z0-9{\-*#]|$)")


@rule("BC145", "unprocessed-escape", Severity.WARNING, depends_on=())
def unprocessed_escape(plan: Plan, declared: Declarations) -> Violations:
    r"""Texts outside double quotes that contain `\n` as a line break."""
    for node in written_values(plan, declared).values if _ESCAPE in plan.text else ():
        if isinstance(node.value, str) and node.style in ("", "'") and _MEANT.search(node.value):
            at = plan.lines[node.place.line - 1].find(_ESCAPE, node.place.column - 1)
            yield Violation(
                node.place if at < 0 else node.place._replace(column=at + 1),
                "'\\n' outside double quotes is not a line break",
                found=_ESCAPE,
                advice="Put the text in double quotes, or write its lines after '|'.",
            )


@rule("BC146", "unused-anchor", Severity.WARNING, depends_on=())
def unused_anchor(plan: Plan, _: Declarations) -> Violations:
    for name, place in plan.document.tree.loose_anchors:
        yield Violation(
            place,
            "the anchor is not used by any alias",
            found=f"&{name}",
            advice="Remove it, or put text that begins with '&' in quotes.",
        )


# Inputs, and the schema for editors.


@rule("BC147", "invalid-default", Severity.ERROR)
def invalid_default(plan: Plan, _: Declarations) -> Violations:
    for each in declared_inputs(plan):
        found = rejected_value(each, {}) if each.spec.has_default else None
        yield from _of_wrong_type(plan, each, "default", found)


@rule("BC148", "invalid-example", Severity.WARNING)
def invalid_example(plan: Plan, _: Declarations) -> Violations:
    for each in declared_inputs(plan):
        if each.spec.example is not None:
            found = rejected_value(each, {each.name: each.spec.example})
            yield from _of_wrong_type(plan, each, "example", found)


def _of_wrong_type(plan: Plan, each: DeclaredInput, key: str, found: str | None) -> Violations:
    if found is not None:
        yield plan.violation(
            (*each.path, key),
            f"the {key} of input '{each.name}' is not of type {each.spec.type}",
            found=found,
            advice=f"Change the {key} or the type.",
        )


_MODELINE: Final = re.compile(r"#\s*yaml-language-server:\s*\$schema=(?P<target>\S+)")
_ASIDE: Final = ("#", "---")


@rule("BC149", "missing-schema", Severity.WARNING)
def missing_schema(plan: Plan, _: Declarations) -> Violations:
    """Looks where an editor would look; URLs are not checked."""
    above = partial(islice, plan.lines, plan.document.line - 1)  # may be most of a large file
    if any(line.strip() and not line.startswith(_ASIDE) for line in above()):
        return  # reported for an earlier document
    folder = Path(plan.document.file).parent
    for number, line in enumerate(above(), 1):
        match = _MODELINE.match(line)
        if match and "://" not in match["target"] and not (folder / match["target"]).is_file():
            yield Violation(
                Place(number, match.start("target") + 1),
                "the schema file does not exist",
                found=match["target"],
                advice="Write the path relative to this file; 'biblicus-context schema' prints a schema.",
            )
