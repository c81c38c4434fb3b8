"""BC211: a model that is not in the model table."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.errors import UnknownNameError, closest
from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.budgets.policies import policy_in
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan

_LISTED = 8


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    """Finds the model as the engine does: with or without a provider prefix and a date suffix."""
    policy = policy_in(plan)
    if policy is None or policy.spec.model is None or policy.spec.fallback_counter:
        return
    try:
        declared.yardsticks.models.find(policy.spec.model)
    except UnknownNameError as error:
        yield plan.violation(
            policy.at("model"),
            "unknown model",
            found=error.name,
            valid=(*closest(error.name, error.known)[:_LISTED], "..."),
            advice="'biblicus-context models' lists all models; 'models-file' in the settings adds others; "
            "'fallback_counter' in the policy counts for unknown ones.",
        )


RULE = Rule(
    code="BC211",
    name="unknown-model",
    severity=Severity.ERROR,
    finds="A policy names a model that is not in the model table.",
    why=(
        "The tokenizer, the window and the message format of the model are unknown, so no budget "
        "can be computed. The call fails when the context is assembled."
    ),
    instead=(
        "Write a name that `biblicus-context models` lists. To use your own table, name it in the "
        'settings: `known = {models-file = "models.json"}`. For any other model, say how to count: '
        "`fallback_counter: characters`."
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
    depends_on=frozenset(),
)
