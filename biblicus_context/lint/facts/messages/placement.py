"""The directives of a plan by role, in the order in which they are placed."""

from __future__ import annotations

from typing import Final, NamedTuple

from biblicus_context.lint.facts.budgets.policies import is_inserted
from biblicus_context.lint.facts.memoize import once_per_document
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.texts import Steps, directives
from biblicus_context.spec.context import ContextDeclaration
from biblicus_context.spec.directive import (
    AssistantMessageSpec,
    ContextInsertSpec,
    Directive,
    HistoryInsertSpec,
    UserMessageSpec,
)

CONVERSATION: Final = frozenset({"user", "assistant", "history"})


class PlacedDirective(NamedTuple):
    """A directive by its kind: system, user, assistant, history or context."""

    path: Steps
    kind: str
    always: bool
    """Whether it is placed in every call."""


@once_per_document
def placed_directives(plan: Plan, declared: Declarations) -> tuple[PlacedDirective, ...]:
    """The directives of a context; none for a nested one, whose messages become a single text."""
    context = plan.declaration
    if not isinstance(context, ContextDeclaration) or is_inserted(context, declared):
        return ()
    return tuple(
        PlacedDirective(path, _kind(directive), always)
        for path, directive, always in directives(plan.declaration)
        if not is_placed_by_quotes(directive)
    )


def last_index(found: tuple[PlacedDirective, ...], *kinds: str) -> int:
    """The index of the last directive of these kinds, or -1."""
    return max((at for at, spot in enumerate(found) if spot.kind in kinds), default=-1)


def is_placed_by_quotes(directive: object) -> bool:
    """Whether this is a pack that is placed only where texts quote it."""
    return isinstance(directive, ContextInsertSpec) and directive.place == "quoted"


def _kind(directive: Directive) -> str:
    match directive:
        case UserMessageSpec():
            return "user"
        case AssistantMessageSpec():
            return "assistant"
        case HistoryInsertSpec():
            return "history"
        case ContextInsertSpec():
            return "context"
    return "system"
