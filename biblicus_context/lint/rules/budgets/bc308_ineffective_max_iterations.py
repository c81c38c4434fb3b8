"""BC308: `max_iterations` has no effect."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.budgets.policies import WrittenPolicy, policy_in
from biblicus_context.lint.facts.budgets.policy_effects import asks_no_retriever, lacks_shares
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.source.removal import removal


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    policy = policy_in(plan)
    if policy is None or "max_iterations" not in policy.spec.model_fields_set:
        return
    reason = _reason(policy, plan, declared)
    if reason:
        path = policy.at("max_iterations")
        yield plan.violation(
            path,
            f"'max_iterations' has no effect: {reason}",
            advice="Remove it.",
            edits=removal(plan, path),
        )


def _reason(policy: WrittenPolicy, plan: Plan, declared: Declarations) -> str | None:
    overflow = policy.spec.overflow
    if overflow in ("error", "none"):
        return f"with overflow: {overflow} no retriever is called again"
    if asks_no_retriever(plan, declared):
        return "this context has no retriever"
    if lacks_shares(plan, declared):
        return "no pack has a share"
    return None


RULE = Rule(
    code="BC308",
    name="ineffective-max-iterations",
    severity=Severity.WARNING,
    finds="`max_iterations` is set, but no retriever is ever called a second time.",
    why=(
        "`max_iterations` limits how often a retriever is called when its pack exceeds its share. "
        "With `overflow: error` or `none`, without a retriever, or without a share, it is called "
        "only once."
    ),
    instead="Remove `max_iterations`, or set `overflow: compact` and a `pack_budget`.",
    bad="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 4000}
  overflow: error
  max_iterations: 3  # <- BC308
messages:
  - {type: history}
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 4000}
  overflow: error
messages:
  - {type: history}
  - {type: user, content: "{input.question}"}
""",
    check=_check,
)
