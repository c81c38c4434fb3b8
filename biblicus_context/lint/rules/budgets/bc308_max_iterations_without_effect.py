"""BC308: passes are limited, and there is only ever one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from biblicus_context.lint.engine.finding import Remark, Severity
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.budgets.policies import WrittenPolicy, policy_in
from biblicus_context.lint.facts.budgets.policy_effects import asks_no_retriever, lacks_shares
from biblicus_context.lint.facts.source.removal import removal

if TYPE_CHECKING:
    from biblicus_context.lint.facts.project.declarations import Declared
    from biblicus_context.lint.facts.project.plan import Plan


def _check(plan: Plan, declared: Declared) -> Iterator[Remark]:
    policy = policy_in(plan)
    if policy is None or "max_iterations" not in policy.spec.model_fields_set:
        return
    reason = _reason(policy, plan, declared)
    if reason:
        path = policy.at("max_iterations")
        yield plan.remark(
            path,
            f"'max_iterations' has no effect: {reason}",
            advice="Remove it.",
            edits=removal(plan, path),
        )


def _reason(policy: WrittenPolicy, plan: Plan, declared: Declared) -> str | None:
    overflow = policy.spec.overflow
    if overflow in ("error", "none"):
        return f"with overflow: {overflow} no pack is asked again"
    if asks_no_retriever(plan, declared):
        return "this context asks no retriever"
    if lacks_shares(plan, declared):
        return "only a pack with a share is asked again, and none has one"
    return None


RULE = Rule(
    code="BC308",
    name="max-iterations-without-effect",
    severity=Severity.WARNING,
    finds="`max_iterations` is set where no pack is ever asked a second time.",
    why="`max_iterations` says how often a retriever may be asked when its answer is larger than "
    "its share. On `overflow: error` or `none`, without a retriever, or without a share, it is "
    "asked once.",
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
