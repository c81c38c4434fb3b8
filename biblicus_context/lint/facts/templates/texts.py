"""Every text of a document, with its path and what it was parsed to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias, TypeVar

from biblicus_context.lint.engine.finding import Edit, Violation
from biblicus_context.lint.facts.memoize import once_per_declaration
from biblicus_context.lint.facts.project.combined_retrievers import all_settings
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.source.positions import LocatedText
from biblicus_context.lint.facts.templates.parsed_template import (
    ParsedTemplate,
    TemplatePiece,
    parse_content,
)
from biblicus_context.lint.facts.templates.parsing import parse_condition, parse_template
from biblicus_context.reading.kinds import Declaration
from biblicus_context.reading.yaml.tree import Place, Step
from biblicus_context.retrieval.requests.templates import has_placeholders
from biblicus_context.spec.context import ContextDeclaration
from biblicus_context.spec.directive import Directive, FirstSpec, SystemMessageSpec, TextDirective
from biblicus_context.spec.retriever import TEMPLATE_SETTINGS, RetrieverDeclaration
from biblicus_context.text.templates.values import as_text

Steps = tuple[Step, ...]
Placed = tuple[Steps, Directive, bool]
_D = TypeVar("_D", bound=Directive)
_MOST_PLACED = 64
PROVIDED = frozenset({"input", "context"})
"""The names that the engine gives every text."""
PROVIDED_TO_QUERIES = PROVIDED | {"history"}


@dataclass(frozen=True, slots=True)
class DirectiveText:
    """The text of a message; `directive` is the path of the directive that holds it."""

    path: Steps
    directive: Steps
    source: str
    parsed: ParsedTemplate
    spec: TextDirective
    always: bool
    """Whether it is placed in every call: no `when`, and no alternative."""

    @property
    def is_template(self) -> bool:
        """Whether Jinja2 is rendered in it."""
        return self.spec.template is not None

    @property
    def role(self) -> str:
        """The role of its message."""
        return self.spec.type

    @property
    def pieces(self) -> Iterator[TemplatePiece]:
        """Its pieces; a piece that is the same in every call is fixed text."""
        if self.parsed.has_jinja:
            return iter(self.parsed.pieces)
        return (self._settled(piece) for piece in self.parsed.pieces)

    def _settled(self, piece: TemplatePiece) -> TemplatePiece:
        own = self.spec.vars
        for use in piece.uses:  # a placeholder is one use
            if use.path in own and isinstance(own[use.path], str | int | float):
                return TemplatePiece(piece.offset, as_text(own[use.path]))
            if not self.is_template and use.first not in PROVIDED | own.keys():
                return TemplatePiece(piece.offset, f"{{{use.path}}}")
        return piece

    @property
    def fixed(self) -> str:
        """The part that is the same in every call."""
        return "".join(piece.text for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class FieldText:
    """A text in another field: a condition, the query of a retriever, a text of a format."""

    path: Steps
    directive: Steps
    source: str
    parsed: ParsedTemplate


PlanText: TypeAlias = DirectiveText | FieldText
"""The text of a message, or of another field."""


@once_per_declaration
def texts(declaration: Declaration) -> tuple[DirectiveText, ...]:
    """The texts of a context's messages, in order."""
    return tuple(
        _text(path, directive, always=always)
        for path, directive, always in directives(declaration)
        if isinstance(directive, TextDirective) and not _is_base(directive)
    )


@once_per_declaration
def conditions(declaration: Declaration) -> tuple[FieldText, ...]:
    """Every `when:` of a context."""
    return tuple(
        FieldText((*path, "when"), path, directive.when, parse_condition(directive.when))
        for path, directive, _ in _with_groups(declaration)
        if directive.when is not None
    )


@once_per_declaration
def queries(declaration: Declaration) -> tuple[FieldText, ...]:
    """The query of a retriever, and its settings with placeholders."""
    if not isinstance(declaration, RetrieverDeclaration):
        return ()
    asked: list[FieldText] = []
    for at, config in all_settings(declaration.config):
        asked += (
            FieldText(path, path[:-1], text, parse_template(text))
            for path, text in _queries(config, at)
        )
        asked += (
            FieldText(path, path[:-1], text, parse_content(text))
            for path, text in _templates(config, at)
        )
    return tuple(asked)


@once_per_declaration
def directives(declaration: Declaration) -> tuple[Placed, ...]:
    """Every directive with its path and whether it is placed in every call; groups are expanded."""
    return tuple(
        (path, directive, always)
        for path, directive, always in _with_groups(declaration)
        if not isinstance(directive, FirstSpec)
    )


def directives_of(declaration: Declaration, kind: type[_D]) -> Iterator[tuple[Steps, _D]]:
    """The directives of one type that may be placed, with their paths."""
    for path, directive, _ in directives(declaration):
        if isinstance(directive, kind):
            yield path, directive


def place_of(plan: Plan, written: PlanText, offset: int) -> Place:
    """The place in the plan of a character of a text."""
    return _placed(plan, plan.document.tree.at(written.path).place, written.source).place(offset)


def violation_in(
    plan: Plan,
    written: PlanText,
    offset: int,
    problem: str,
    *,
    found: str | None = None,
    valid: tuple[str, ...] = (),
    advice: str | None = None,
    edits: tuple[Edit, ...] = (),
) -> Violation:
    """A violation on a character of a text."""
    if written.path in plan.document.text_files:
        return plan.in_text_file(
            written.path, offset, problem, found=found, valid=valid, advice=advice
        )
    return Violation(place_of(plan, written, offset), problem, found, valid, advice, edits)


@lru_cache(maxsize=_MOST_PLACED)
def _placed(plan: Plan, start: Place, source: str) -> LocatedText:
    return LocatedText.of(plan.lines, start, source)


def _with_groups(declaration: Declaration) -> Iterator[Placed]:
    if not isinstance(declaration, ContextDeclaration):
        return
    for index, directive in enumerate(declaration.messages or ()):
        path: Steps = ("messages", index)
        yield path, directive, directive.when is None
        if isinstance(directive, FirstSpec):
            for number, alternative in enumerate(directive.first):
                yield (*path, "first", number), alternative, False


def _text(path: Steps, directive: TextDirective, *, always: bool) -> DirectiveText:
    if directive.template is not None:
        source, key, reading = directive.template, "template", parse_template(directive.template)
    else:
        source, key = directive.content or "", "content"
        reading = parse_content(source)
    # An alternative that is plain text has no key; a path that leads too far ends at the text.
    return DirectiveText((*path, key), path, source, reading, directive, always)


def _is_base(directive: TextDirective) -> bool:
    return isinstance(directive, SystemMessageSpec) and directive.base


def _queries(config: Mapping[str, Any], path: Steps) -> Iterator[tuple[Steps, str]]:
    """A query is next to the settings, or under `pipeline.query`, as in Biblicus."""
    query = config.get("query")
    if isinstance(query, str):
        yield (*path, "query"), query
    elif isinstance(query, Mapping):
        yield from _queries(query, (*path, "query"))
        template = query.get("template")
        if isinstance(template, str):
            yield (*path, "query", "template"), template
    for key in ("pipeline", "configuration"):
        inner = config.get(key)
        if isinstance(inner, Mapping):
            yield from _queries(inner, (*path, key))


def _templates(config: Mapping[str, Any], at: Steps) -> Iterator[tuple[Steps, str]]:
    """The settings that the engine fills for each call, and that have placeholders."""
    for key in TEMPLATE_SETTINGS:
        yield from _with_placeholders(config.get(key), (*at, key))


def _with_placeholders(value: object, path: Steps) -> Iterator[tuple[Steps, str]]:
    parts: Iterable[tuple[Step, object]] = ()
    if isinstance(value, Mapping):
        parts = value.items()
    elif isinstance(value, list | tuple):
        parts = enumerate(value)
    elif isinstance(value, str) and has_placeholders(value):
        yield path, value
    for step, part in parts:
        yield from _with_placeholders(part, (*path, step))
