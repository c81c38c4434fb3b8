"""Comments that suppress findings, `# lint: allow BC601 the date is wanted here`, and findings about them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from biblicus_context.errors import nearest
from biblicus_context.lint.engine.finding import Edit, Finding, Violation
from biblicus_context.lint.rules.linter import (
    INVALID_SUPPRESSION,
    SUPPRESSION_WITHOUT_REASON,
    UNUSED_SUPPRESSION,
)
from biblicus_context.reading.yaml.documents import WrittenText, written_texts
from biblicus_context.reading.yaml.tree import Place

if TYPE_CHECKING:
    from biblicus_context.lint.engine.linted_file import LintedFile
    from biblicus_context.lint.engine.rule_book import RuleBook, RuleSelection

MAX_SUPPRESSIONS = 1_000
"""Comments of one file that are read; more would make a hostile file slow to check."""

_MARKER = "lint:"
_COMMENT = re.compile(r"(?<![^ \t\r\n])#[ \t]*lint:(?P<body>[^\r\n]*)")
_ALLOW = re.compile(
    r"\s*(?P<verb>allow-file|allow)\s+"
    r"(?P<selectors>[\w-]+(?:\s*,\s*[\w-]+)*)(?:\s*:)?(?:\s+(?P<reason>.*))?"
)
_NEXT_COMMENT = re.compile(r"\s#.*")
_BLOCKS = ("|", ">")
_LINE_BREAK = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class Suppression:
    """One comment: the rules it names, the reason, and the lines it covers."""

    place: Place
    selectors: tuple[str, ...]
    """Codes or names; empty where the comment does not follow the syntax."""
    reason: str
    lines: range | None
    """None: all lines of the file."""
    span: tuple[Place, Place]
    """The text to delete to remove the comment: end exclusive."""

    def covers(self, line: int) -> bool:
        """Whether a finding in this line is suppressed."""
        return self.lines is None or line in self.lines


def parse_suppressions(text: str) -> list[Suppression]:
    """The suppressions in the text of a file, in order.

    >>> suppression, = parse_suppressions("name: x  # lint: allow BC601, BC602 for now\\n")
    >>> suppression.selectors, suppression.reason, suppression.lines
    (('BC601', 'BC602'), 'for now', range(1, 2))
    """
    return list(islice(_suppressions(text), MAX_SUPPRESSIONS)) if _MARKER in text else []


class _FileText(NamedTuple):
    """The lines of a file, and the positions of its texts."""

    lines: Sequence[str]
    starts: Sequence[int]
    texts: Sequence[WrittenText]
    below: Sequence[int]
    """For each line the next line with content other than a comment, if there is one."""

    def place(self, offset: int) -> Place:
        line = bisect_right(self.starts, offset)
        return Place(line, offset - self.starts[line - 1] + 1)

    def is_comment(self, place: Place) -> bool:
        """Whether a `#` there begins a comment: outside every text, or after the `|` of a block."""
        before = bisect_right(self.texts, place, key=lambda text: text.start) - 1
        if before < 0 or self.texts[before].end <= place:
            return True
        return self.texts[before].style in _BLOCKS and self.texts[before].start.line == place.line

    def with_texts(self, line: int) -> range:
        """A line, extended to the text that begins or ends in it."""
        first = last = line
        for text in self._around(line):
            last_of_text = text.end.line - (text.end.column == 1)
            if line in (text.start.line, last_of_text):
                first, last = min(first, text.start.line), max(last, last_of_text)
        return range(first, last + 1)

    def _around(self, line: int) -> Sequence[WrittenText]:
        begin = bisect_right(self.texts, Place(line, 0), key=lambda text: text.start)
        end = bisect_right(self.texts, Place(line + 1, 0), key=lambda text: text.start)
        return self.texts[max(0, begin - 1) : end]


def _suppressions(text: str) -> Iterator[Suppression]:
    comments = list(_COMMENT.finditer(text))
    if not comments:
        return
    lines = _LINE_BREAK.split(text)
    starts = [0, *(match.end() for match in _LINE_BREAK.finditer(text))]
    file = _FileText(lines, starts, list(written_texts(text, near=_MARKER)), _content_below(lines))
    for comment in comments:
        place = file.place(comment.start())
        if file.is_comment(place):
            yield _suppression(comment["body"], place, file)


def _suppression(body: str, place: Place, file: _FileText) -> Suppression:
    line = file.lines[place.line - 1]
    alone = not line[: place.column - 1].strip()
    parsed = _ALLOW.fullmatch(_NEXT_COMMENT.sub("", body).rstrip())
    if parsed is None:
        return Suppression(place, (), "", range(0), (place, place))
    lines = file.with_texts(file.below[place.line - 1] if alone else place.line)
    return Suppression(
        place,
        tuple(re.split(r"\s*,\s*", parsed["selectors"])),
        (parsed["reason"] or "").strip(),
        None if parsed["verb"] == "allow-file" else lines,
        _span(line, place, alone=alone, is_followed="#" in body),
    )


def _span(line: str, place: Place, *, alone: bool, is_followed: bool) -> tuple[Place, Place]:
    """The comment with its white space; empty where another comment follows it."""
    if is_followed:
        return place, place
    if alone:
        return Place(place.line, 1), Place(place.line + 1, 1)
    before = len(line[: place.column - 1].rstrip())
    return Place(place.line, before + 1), Place(place.line, len(line) + 1)


def _content_below(lines: Sequence[str]) -> list[int]:
    below: list[int] = []
    content = len(lines)
    for number in range(len(lines), 0, -1):
        below.append(content)
        if lines[number - 1].strip() and not lines[number - 1].lstrip().startswith("#"):
            content = number
    return below[::-1]


_SYNTAX = "Write '# lint: allow CODE reason', or '# lint: allow-file CODE reason'."


def apply_suppressions(
    file: LintedFile,
    findings: Iterable[Finding],
    selection: RuleSelection,
    book: RuleBook,
    *,
    is_complete: bool,
) -> list[Finding]:
    """The findings of a file that are reported, those about its comments included.

    Unless every rule was run on the whole file (`is_complete`), no comment is reported as unused.
    """
    reported = selection.reported(findings, file.file)
    if not file.suppressions:
        return reported
    comments = _Comments(file.suppressions, book)
    left = [each for each in reported if not comments.suppress(each)]
    about = [INVALID_SUPPRESSION.finding(file.file, each) for each in comments.invalid()]
    about += [
        SUPPRESSION_WITHOUT_REASON.finding(file.file, each) for each in comments.without_reason()
    ]
    if is_complete:
        applied = {rule.code for rule in selection.rules if selection.applies(rule, file.file)}
        about += [UNUSED_SUPPRESSION.finding(file.file, each) for each in comments.unused(applied)]
    # Findings about comments cannot be suppressed by comments, only by the settings.
    return left + selection.reported(about, file.file)


@dataclass
class _Comments:
    """The suppressions of a file, and which of them were used."""

    suppressions: Sequence[Suppression]
    book: RuleBook
    used: set[tuple[Suppression, str]] = field(default_factory=set)

    @cached_property
    def _by_selector(self) -> Mapping[str, Sequence[Suppression]]:
        found: dict[str, list[Suppression]] = defaultdict(list)
        for suppression in self.suppressions:
            for selector in dict.fromkeys(suppression.selectors):
                found[selector].append(suppression)
        return found

    def suppress(self, finding: Finding) -> bool:
        """Whether a finding is suppressed; every comment that covers it counts as used."""
        matching = {
            (suppression, selector)
            for selector in (finding.code, finding.name)
            for suppression in self._by_selector.get(selector, ())
            if suppression.covers((finding.anchor or finding.place).line)
        }
        self.used |= matching
        return bool(matching)

    def invalid(self) -> Iterator[Violation]:
        for suppression in self.suppressions:
            if not suppression.selectors:
                yield Violation(suppression.place, "invalid suppression comment", advice=_SYNTAX)
            for selector in suppression.selectors:
                if selector not in self.book.by_selector:
                    yield _unknown(suppression, selector, self.book)

    def without_reason(self) -> Iterator[Violation]:
        for suppression in self.suppressions:
            if suppression.selectors and not suppression.reason:
                problem = f"the suppression of {', '.join(suppression.selectors)} has no reason"
                yield Violation(
                    suppression.place, problem, advice="Write the reason after the code."
                )

    def unused(self, applied: Collection[str]) -> Iterator[Violation]:
        for suppression in self.suppressions:
            unused = [
                each
                for each in suppression.selectors
                if self._is_unused(suppression, each, applied)
            ]
            if unused:
                where = " in this file" if suppression.lines is None else ""
                is_all = len(unused) == len(suppression.selectors)
                yield Violation(
                    suppression.place,
                    f"unused suppression{where}: {', '.join(unused)}",
                    advice="Remove the code, or the whole comment if it names no other.",
                    edits=_removal(suppression) if is_all else (),
                )

    def _is_unused(self, suppression: Suppression, selector: str, applied: Collection[str]) -> bool:
        rule = self.book.by_selector.get(selector)
        if rule is None or rule.code not in applied:
            return False
        return (suppression, selector) not in self.used


def _unknown(suppression: Suppression, selector: str, book: RuleBook) -> Violation:
    guess = nearest(selector, book.by_selector)
    hint = f"Did you mean {guess!r}? " if guess else ""
    return Violation(
        suppression.place,
        "unknown rule",
        found=selector,
        advice=f"{hint}See 'biblicus-context rules'.",
    )


def _removal(suppression: Suppression) -> tuple[Edit, ...]:
    start, end = suppression.span
    return (Edit(start, end, ""),) if end > start else ()
