"""BC212: a counter that is not there."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.errors import LoadError, UnknownNameError, closest
from biblicus_context.lint.engine.finding import Remark, Severity
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.budgets.policies import policy_in
from biblicus_context.lint.facts.project.declarations import Declared
from biblicus_context.lint.facts.project.plan import Plan

_LISTED = 8


def _check(plan: Plan, declared: Declared) -> Iterator[Remark]:
    """Asks for it as the engine does; the vocabulary itself is not loaded."""
    policy = policy_in(plan)
    name = policy.spec.counter if policy else None
    if policy is None or name is None or name in declared.counters:
        return
    try:
        declared.yardsticks.counters.get(name)
    except UnknownNameError as error:
        known = (*error.known, *declared.counters)
        yield plan.remark(
            policy.at("counter"),
            "unknown counter",
            found=name,
            valid=(*closest(name, known)[:_LISTED], "..."),
            advice="What Python hands in is listed under 'known' in the settings.",
        )
    except LoadError as error:
        yield plan.remark(policy.at("counter"), error.problem, found=name)


RULE = Rule(
    code="BC212",
    name="unknown-counter",
    severity=Severity.ERROR,
    finds="A counter that is neither a vocabulary, nor a model, nor a file that can be read.",
    why="Nothing can be counted, so that no budget can be kept. The engine raises an error.",
    instead=(
        "Write the name of a vocabulary such as `o200k_base`, or the path of a `tokenizer.json`. "
        'What Python hands in is named in the settings: `known = {counters = ["ours"]}`.'
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
)
