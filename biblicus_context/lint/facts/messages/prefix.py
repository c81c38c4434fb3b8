"""The parts that a plan places before the conversation, and which of them change between calls.

A provider reuses its work on the previous call up to the first token that differs. Inputs with a
default count as settings, which do not change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from biblicus_context.lint.engine.finding import Violation
from biblicus_context.lint.facts.budgets.packs import PackInsert, always_placed
from biblicus_context.lint.facts.budgets.policies import is_inserted
from biblicus_context.lint.facts.budgets.sizes import MOST_PIECES
from biblicus_context.lint.facts.memoize import once_per_document
from biblicus_context.lint.facts.messages.placement import (
    is_placed_by_quotes,
    last_index,
    placed_directives,
)
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.nesting import MOST_NESTED
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.inputs import inputs_of
from biblicus_context.lint.facts.templates.parsed_template import TemplateName
from biblicus_context.lint.facts.templates.texts import DirectiveText, Steps, violation_in
from biblicus_context.spec.context import ContextDeclaration, InputSpec

LEAST_WORTH: Final = 32
"""With fewer tokens of fixed text the order does not matter."""

_DAY: Final = re.compile(r"(?:(?:current|todays?|local)_)?(?:date|today|weekday)")
_CLOCK: Final = re.compile(
    r"(?:(?:current|local|system|utc)_?)?(?:now|time|date_?time|timestamp|clock)"
)


class PrefixPart(NamedTuple):
    """A part of the prefix: fixed text, or something that may change between calls."""

    path: Steps
    text: str = ""
    changes: str = ""
    """The name of what changes, such as an input."""
    written: DirectiveText | None = None
    offset: int = 0


@once_per_document
def prefix(plan: Plan, declared: Declarations) -> tuple[PrefixPart, ...]:
    """The parts before the history and the question; conditions and alternatives are left out."""
    context = plan.declaration
    if not isinstance(context, ContextDeclaration) or is_inserted(context, declared):
        return ()
    leading = _leading(plan, declared)
    found: list[PrefixPart] = []
    known: dict[str, tuple[PrefixPart, ...]] = {}
    for each in always_placed(context, declared):
        if _path(each) in leading:
            found += _parts(each, inputs_of(context, declared) or {}, declared, known)
    return tuple(found)


def fixed_tokens(plan: Plan, declared: Declarations, parts: tuple[PrefixPart, ...]) -> int:
    """The tokens of the fixed text in these parts; 0 below LEAST_WORTH."""
    fixed = [part.text for part in parts if part.text]
    if sum(len(text.encode(errors="replace")) for text in fixed) < LEAST_WORTH:
        return 0
    assert isinstance(plan.declaration, ContextDeclaration)
    limits = declared.limits(plan.declaration)
    counter = limits.counter if limits else declared.yardsticks.counters.get("o200k_base")
    tokens = sum(counter.count_many(fixed))
    return tokens if tokens >= LEAST_WORTH else 0


def violation_at(plan: Plan, part: PrefixPart, problem: str, *, advice: str) -> Violation:
    """A violation on what changes in a part."""
    if part.written is None:
        return plan.violation(part.path, problem, found=part.changes, advice=advice)
    return violation_in(plan, part.written, part.offset, problem, found=part.changes, advice=advice)


def is_time_name(path: str) -> bool:
    """Whether an input changes with the clock, by its name."""
    return bool(_CLOCK.fullmatch(path.rpartition(".")[2].lower()))


def is_day_name(path: str) -> bool:
    """Whether an input changes from day to day, by its name."""
    return bool(_DAY.fullmatch(path.rpartition(".")[2].lower()))


def _leading(plan: Plan, declared: Declarations) -> frozenset[Steps]:
    """The directives before the history and the question."""
    found = placed_directives(plan, declared)
    question = last_index(found, "user")
    history = next((at for at, spot in enumerate(found) if spot.kind == "history"), len(found))
    end = history if question < 0 else min(question, history)
    return frozenset(spot.path for spot in found[:end])


def _path(each: DirectiveText | PackInsert) -> Steps:
    return each.path if isinstance(each, PackInsert) else each.directive


def _parts(
    each: DirectiveText | PackInsert,
    inputs: Mapping[str, InputSpec],
    declared: Declarations,
    known: dict[str, tuple[PrefixPart, ...]],
    depth: int = 0,
) -> Iterator[PrefixPart]:
    """A nested context has parts of its own; the result of a retriever changes with the query."""
    if not isinstance(each, PackInsert):
        yield from _of_text(each, inputs)
    elif is_placed_by_quotes(each.options):
        return
    elif each.nested is None:
        yield PrefixPart(each.path, changes=each.name)
    else:
        for part in _of_nested(each.nested, declared, known, depth + 1):
            yield part._replace(path=each.path, written=None)


def _of_nested(
    context: ContextDeclaration,
    declared: Declarations,
    known: dict[str, tuple[PrefixPart, ...]],
    depth: int,
) -> tuple[PrefixPart, ...]:
    """Each context is read once; parts and depth are capped, since nesting multiplies them."""
    if context.name not in known and depth == MOST_NESTED:
        return ()
    if context.name not in known:
        known[context.name] = ()
        inputs = inputs_of(context, declared) or {}
        parts: list[PrefixPart] = []
        for each in always_placed(context, declared):
            parts += _parts(each, inputs, declared, known, depth)
        known[context.name] = tuple(parts[:MOST_PIECES])
    return known[context.name]


def _of_text(text: DirectiveText, inputs: Mapping[str, InputSpec]) -> Iterator[PrefixPart]:
    for piece in text.pieces:
        if piece.text:
            yield PrefixPart(text.directive, piece.text)
        changing = next((use for use in piece.uses if _changes(use, inputs, text)), None)
        if changing is not None:
            yield PrefixPart(
                text.directive, changes=changing.path, written=text, offset=changing.offset
            )


def _changes(use: TemplateName, inputs: Mapping[str, InputSpec], text: DirectiveText) -> bool:
    _, name, *_ = [*use.path.split("."), ""]
    if use.first == "context":
        return "context" not in text.spec.vars
    if use.first != "input" or "input" in text.spec.vars:
        return False
    spec = inputs.get(name)
    return spec is None or not spec.has_default
