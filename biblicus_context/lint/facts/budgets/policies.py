"""The policy in a document, the contexts that use it, and whether its settings can have an effect."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from biblicus_context.assembly.limits import Limits, limits_of
from biblicus_context.errors import ContextError
from biblicus_context.lint.facts.budgets.packs import asks_retrievers, inserts_of
from biblicus_context.lint.facts.budgets.sizes import is_shrinkable
from biblicus_context.lint.facts.memoize import once_per_document
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.nesting import nested_contexts
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.texts import Steps, texts
from biblicus_context.spec.context import ContextDeclaration
from biblicus_context.spec.policy import ContextPolicySpec, PolicyDeclaration


@dataclass(frozen=True, slots=True)
class WrittenPolicy:
    """A policy and the path of its keys."""

    path: Steps
    spec: ContextPolicySpec

    def at(self, *keys: str) -> Steps:
        """The path of one of its keys."""
        return (*self.path, *keys)


def policy_in(plan: Plan) -> WrittenPolicy | None:
    """The policy in this document: declared by it, or inside a context."""
    match plan.declaration:
        case PolicyDeclaration(policy=spec):
            return WrittenPolicy((), spec)
        case ContextDeclaration(policy=ContextPolicySpec() as spec):
            return WrittenPolicy(("policy",), spec)
    return None


@once_per_document
def limits_in(plan: Plan, declared: Declarations) -> Limits | None:
    """The limits of the policy in this document; None where they cannot be computed."""
    match plan.declaration:
        case ContextDeclaration() as context if policy_in(plan):
            return declared.limits(context)
        case PolicyDeclaration(policy=spec):
            return declared.limits(ContextDeclaration.model_construct(name="", policy=spec))
    return None


def obeying(plan: Plan, declared: Declarations) -> Iterator[ContextDeclaration]:
    """The contexts that use the policy in this document."""
    match plan.declaration:
        case ContextDeclaration() as context:
            yield context
        case PolicyDeclaration(name=name):
            for entry in declared.used.get(("policy", name), ()):
                if isinstance(entry.declaration, ContextDeclaration):
                    yield entry.declaration


def is_inserted(context: ContextDeclaration, declared: Declarations) -> bool:
    """Whether another context inserts this one, and so may set its budget."""
    return any(True for _ in declared.inserted_by(context.name))


def is_called(plan: Plan, declared: Declarations) -> bool:
    """Whether the policy in this document is used by a context that no other context inserts."""
    return any(not is_inserted(context, declared) for context in obeying(plan, declared))


def policy_error(policy: ContextPolicySpec, declared: Declarations) -> ContextError | None:
    """The error that the engine raises for a policy."""
    try:
        limits_of(policy, declared.yardsticks, ())
    except ContextError as error:
        return error
    return None


def is_overridden_below(context: ContextDeclaration, declared: Declarations) -> bool:
    """Whether a nested context sets its own overflow."""
    policies = (declared.policy(each) for each in nested_contexts(context, declared))
    return any(policy and policy.overflow for policy in policies)


def lacks_shares(plan: Plan, declared: Declarations) -> bool:
    """Whether no pack of any context that uses this policy can have a share."""
    limits = limits_in(plan, declared)
    if limits is None or limits.packs_at_most is not None:
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
