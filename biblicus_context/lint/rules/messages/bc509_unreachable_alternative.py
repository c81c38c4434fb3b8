"""BC509: an alternative that is never placed."""

from __future__ import annotations

from collections import Counter as Tally
from collections import defaultdict
from collections.abc import Iterator, Sequence

from biblicus_context.assembly.limits import Limits
from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.texts import DirectiveText, Steps, texts
from biblicus_context.spec.context import ContextDeclaration
from biblicus_context.spec.directive import FirstSpec

_MOST_COMPARED = 20
"""Alternatives before one that it is compared with."""


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    context = plan.declaration
    if not isinstance(context, ContextDeclaration):
        return
    sure = _sure(context)
    for index, group in enumerate(context.messages or ()):
        if isinstance(group, FirstSpec):
            limits = declared.limits(context)
            yield from _in(plan, sure["messages", index, "first"], len(group.first), limits)


def _sure(context: ContextDeclaration) -> dict[Steps, list[DirectiveText]]:
    """The alternatives of each group that are texts and have no condition."""
    found: dict[Steps, list[DirectiveText]] = defaultdict(list)
    for text in texts(context):
        if text.spec.when is None:
            found[text.directive[:3]].append(text)
    return found


def _in(
    plan: Plan, sure: Sequence[DirectiveText], size: int, limits: Limits | None
) -> Iterator[Violation]:
    if limits is None or not sure:
        return
    if limits.budget is None or limits.overflow == "none":
        text = sure[0]
        if _number(text) < size - 1:
            why = "no budget is set" if limits.budget is None else "overflow is none"
            yield plan.violation(
                (*text.directive[:-1], _number(text) + 1),
                f"the alternative is never placed: {why}, so the one before it always fits",
                advice="Set an input budget and overflow: compact, or keep one alternative.",
            )
        return
    for at, text in enumerate(sure):
        before = sure[max(0, at - _MOST_COMPARED) : at]
        if any(_is_never_smaller(text, earlier, limits) for earlier in before):
            yield plan.violation(
                text.directive,
                "the alternative is never placed: it is not smaller than an earlier one",
                advice="Order the alternatives from the longest to the shortest.",
            )


def _number(text: DirectiveText) -> int:
    return int(text.directive[-1])


def _is_never_smaller(text: DirectiveText, earlier: DirectiveText, limits: Limits) -> bool:
    """Whether a text has all values of an earlier one, and at least as much text around them."""
    if text.parsed.has_jinja or earlier.parsed.has_jinja:
        return False
    mine, others = (Tally(use.path for use in each.parsed.uses) for each in (text, earlier))
    if not others <= mine:
        return False
    tokens, other_tokens = limits.counter.count_many([text.fixed, earlier.fixed])
    return tokens >= other_tokens


RULE = Rule(
    code="BC509",
    name="unreachable-alternative",
    severity=Severity.WARNING,
    finds=(
        "An alternative of a `first` comes after one that always fits, or is not smaller than an "
        "earlier one."
    ),
    why=(
        "The first alternative that fits is placed. Without a budget that is always the first one, "
        "and if a text does not fit, an equally large one does not fit either."
    ),
    instead="Set a budget, and order the alternatives from the longest to the shortest.",
    bad="""\
kind: context
name: support
policy: {input_budget: {max_tokens: 2000}}
messages:
  - first:
      - "A summary: {input.summary}"
      - "The whole report, with its summary: {input.summary} {input.report}"  # <- BC509
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
policy: {input_budget: {max_tokens: 2000}}
messages:
  - first:
      - "The whole report, with its summary: {input.summary} {input.report}"
      - "A summary: {input.summary}"
  - {type: user, content: "{input.question}"}
""",
    check=_check,
)
