"""Rules, held against documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from biblicus_context.lint.engine.finding import Finding, Remark
from biblicus_context.lint.engine.rule import Rule, by_the_linter, by_the_reader
from biblicus_context.lint.facts.project.declarations import Declared
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.rules.linter.bc004_failed_rule import RULE as FAILED_RULE

_ANSWERED_ELSEWHERE = (by_the_reader, by_the_linter)


def check(plans: Iterable[Plan], declared: Declared, rules: Sequence[Rule]) -> list[Finding]:
    """What the rules find in these documents."""
    asked = [rule for rule in rules if rule.check not in _ANSWERED_ELSEWHERE]
    return [finding for plan in plans for rule in asked for finding in _found(rule, plan, declared)]


def _found(rule: Rule, plan: Plan, declared: Declared) -> Iterator[Finding]:
    file = plan.document.file
    try:
        for remark in rule.check(plan, declared):
            yield rule.found(file, remark)
    except Exception as error:  # a rule of someone else's must not end the run
        said = f"{type(error).__name__}: {error}"
        remark = Remark(
            plan.document.tree.root.place,
            f"the rule {rule.code} failed at this document: {said}",
            advice=f"Report it to the author of the rule, and go on with: ignore = [{rule.code!r}]",
        )
        yield FAILED_RULE.found(file, remark)
