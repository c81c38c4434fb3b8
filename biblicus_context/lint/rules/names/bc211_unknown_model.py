"""BC211: a model that is not in the table."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.errors import UnknownNameError, closest
from biblicus_context.lint.engine.finding import Remark, Severity
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.budgets.policies import policy_in
from biblicus_context.lint.facts.project.declarations import Declared
from biblicus_context.lint.facts.project.plan import Plan

_LISTED = 8


def _check(plan: Plan, declared: Declared) -> Iterator[Remark]:
    """Looks it up as the engine does: a provider in front and a date behind do not matter."""
    policy = policy_in(plan)
    if policy is None or policy.spec.model is None:
        return
    try:
        declared.yardsticks.models.find(policy.spec.model)
    except UnknownNameError as error:
        yield plan.remark(
            policy.at("model"),
            "unknown model",
            found=error.name,
            valid=(*closest(error.name, error.known)[:_LISTED], "..."),
            advice="'biblicus-context models' lists them; others come from a models-file.",
        )


RULE = Rule(
    code="BC211",
    name="unknown-model",
    severity=Severity.ERROR,
    finds="A model that the table of models does not have.",
    why=(
        "Its vocabulary, its window and its message format are not known, so that no budget can be "
        "kept. The engine raises an error when the context is assembled."
    ),
    instead=(
        "Write the name of a model from `biblicus-context models`. A table of your own is named in "
        'the settings: `known = {models-file = "models.json"}`.'
    ),
    bad="""\
kind: context
name: support
policy: {model: gtp-4o} # <- BC211
messages:
  - {type: history}
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
policy: {model: gpt-4o}
messages:
  - {type: history}
  - {type: user, content: "{input.question}"}
""",
    check=_check,
)
