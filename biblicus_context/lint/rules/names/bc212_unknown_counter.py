"""BC212: a token counter that does not exist."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.errors import LoadError, UnknownNameError, closest
from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.budgets.policies import policy_in
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.texts import Steps

_LISTED = 8


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    """Finds the counter as the engine does, without loading its vocabulary."""
    policy = policy_in(plan)
    if policy is None:
        return
    named = {"counter": policy.spec.counter, "fallback_counter": policy.spec.fallback_counter}
    for key, name in named.items():
        if name is not None and name not in declared.counters:
            yield from _problems(plan, declared, policy.at(key), name)


def _problems(plan: Plan, declared: Declarations, path: Steps, name: str) -> Iterator[Violation]:
    try:
        declared.yardsticks.counters.get(name)
    except UnknownNameError as error:
        known = (*error.known, *declared.counters)
        yield plan.violation(
            path,
            "unknown counter",
            found=name,
            valid=(*closest(name, known)[:_LISTED], "..."),
            advice="List counters that are passed from Python under 'known' in the settings.",
        )
    except LoadError as error:
        yield plan.violation(path, error.problem, found=name)


RULE = Rule(
    code="BC212",
    name="unknown-counter",
    severity=Severity.ERROR,
    finds=(
        "A policy names a counter that is not a vocabulary, a model or a readable tokenizer file."
    ),
    why=(
        "Tokens cannot be counted, so no budget can be computed. The call fails when the context "
        "is assembled."
    ),
    instead=(
        "Write the name of a vocabulary such as `o200k_base`, or the path of a `tokenizer.json`. "
        "List counters that are passed from Python in the settings: `known = {counters = "
        '["ours"]}`.'
    ),
    bad="""\
kind: context
name: support
policy:
  counter: o200k-base # <- BC212
  input_budget: {max_tokens: 2000}
messages:
  - {type: history}
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
policy:
  counter: o200k_base
  input_budget: {max_tokens: 2000}
messages:
  - {type: history}
  - {type: user, content: "{input.question}"}
""",
    check=_check,
    depends_on=frozenset(),
)
