"""Whether the settings of a policy can have an effect in the contexts that use it."""

from __future__ import annotations

from biblicus_context.lint.facts.budgets.packs import asks_retrievers, inserts_of
from biblicus_context.lint.facts.budgets.policies import is_inserted, limits_in, obeying
from biblicus_context.lint.facts.budgets.sizes import is_shrinkable
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.nesting import nested_contexts
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.texts import texts
from biblicus_context.spec.context import ContextDeclaration


def lacks_shares(plan: Plan, declared: Declarations) -> bool:
    """Whether no pack of any context that uses this policy can have a share."""
    limits = limits_in(plan, declared)
    if limits is None or limits.pack_total is not None:
        return False
    contexts = list(obeying(plan, declared))
    return any(asks_retrievers(context, declared) for context in contexts) and not any(
        is_inserted(context, declared) or _gives_shares(context, declared) for context in contexts
    )


def asks_no_retriever(plan: Plan, declared: Declarations) -> bool:
    """Whether this policy is inside a context that uses no retriever."""
    context = plan.declaration
    return isinstance(context, ContextDeclaration) and not asks_retrievers(context, declared)


def shrinks_nothing(context: ContextDeclaration, declared: Declarations) -> bool:
    """Whether a context has neither packs nor texts that a compactor may shorten."""
    return all(
        insert.options.pin and insert.nested is None for insert in inserts_of(context, declared)
    ) and not any(map(is_shrinkable, texts(context)))


def _gives_shares(context: ContextDeclaration, declared: Declarations) -> bool:
    """Whether a pack of a context, or of a nested one, has a budget."""
    nested = nested_contexts(context, declared)
    policies = (declared.policy(each) for each in nested)
    return any(
        policy and (policy.input_budget or policy.pack_budget) for policy in policies
    ) or any(insert.budget for each in (context, *nested) for insert in each.inserts)
