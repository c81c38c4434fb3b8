"""The packs that a context inserts, and their shares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from biblicus_context.assembly.limits import Limits
from biblicus_context.assembly.steps.parts import Claim
from biblicus_context.assembly.steps.share import shares
from biblicus_context.errors import PlanError
from biblicus_context.lint.facts.memoize import once_per_document
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.nesting import nested_contexts
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.texts import DirectiveText, Steps, directives, texts
from biblicus_context.spec.context import ContextDeclaration
from biblicus_context.spec.directive import ContextInsertSpec
from biblicus_context.spec.pack import PackOptions

_MOST_CONDITIONAL = 100
"""Packs that are not placed in every call whose shares are worked out; each is a division."""


@dataclass(frozen=True, slots=True)
class PackInsert:
    """A pack that a context inserts; `nested` is set where its name is that of a context."""

    path: Steps
    options: PackOptions
    always: bool
    """Whether it is inserted in every call: it has no `when` and is not an alternative."""
    nested: ContextDeclaration | None

    @property
    def name(self) -> str:
        """The retriever's or the context's name."""
        return self.options.name


@dataclass(frozen=True, slots=True)
class PackShare:
    """The tokens that a pack may use; None where nothing limits them."""

    insert: PackInsert
    tokens: int | None
    own: int | None
    """The tokens of its own budget."""


@once_per_document
def inserts(plan: Plan, declared: Declarations) -> tuple[PackInsert, ...]:
    """The packs of a document's context, in order."""
    return tuple(inserts_of(plan.declaration, declared))


def inserts_of(declaration: object, declared: Declarations) -> Iterator[PackInsert]:
    """The packs of any context, in order."""
    if not isinstance(declaration, ContextDeclaration):
        return
    for index, pack in enumerate(declaration.packs or ()):
        yield PackInsert(("packs", index), pack, always=True, nested=declared.context(pack.name))
    for path, directive, always in directives(declaration):
        if isinstance(directive, ContextInsertSpec):
            yield PackInsert(path, directive, always, nested=declared.context(directive.name))


def always_placed(
    context: ContextDeclaration, declared: Declarations
) -> list[DirectiveText | PackInsert]:
    """The texts and packs that a context places in every call, in order."""
    found = {insert.path: insert for insert in inserts_of(context, declared)}
    written = {text.directive: text for text in texts(context)}
    order: list[Steps] = [("packs", index) for index in range(len(context.packs or ()))]
    order += [path for path, _, always in directives(context) if always]
    return [each for path in order if (each := found.get(path) or written.get(path))]


def asks_retrievers(declaration: ContextDeclaration, declared: Declarations) -> bool:
    """Whether a context, or a nested one, uses a retriever."""
    return any(
        declared.context(insert.name) is None
        for context in (declaration, *nested_contexts(declaration, declared))
        for insert in context.inserts
    )


@once_per_document
def pack_shares(plan: Plan, declared: Declarations) -> tuple[PackShare, ...]:
    """The share of each pack, divided as the engine does; empty where it cannot be computed.

    The share of a pack that is not placed in every call is its share next to those that are; it is
    worked out for the first ones only.
    """
    if not isinstance(plan.declaration, ContextDeclaration):
        return ()
    limits = declared.limits(plan.declaration)
    found = inserts(plan, declared)
    if limits is None or not found:
        return ()
    try:
        claims = [_claim(insert, limits) for insert in found]
    except PlanError:  # a ratio without a budget, which BC305 reports
        return ()
    given = _given(found, claims, limits)
    return tuple(
        PackShare(insert, given[at], claims[at].cap)
        for at, insert in enumerate(found)
        if at in given
    )


def _claim(insert: PackInsert, limits: Limits) -> Claim:
    options = insert.options
    weight = 1.0 if options.weight is None else options.weight
    return Claim(weight, options.priority or 0, limits.part_of_budget(options.budget))


def _given(
    found: Sequence[PackInsert], claims: Sequence[Claim], limits: Limits
) -> Mapping[int, int | None]:
    """The share of each pack by its number; each of the first conditional ones is divided again."""
    always = [at for at, insert in enumerate(found) if insert.always]
    given = _divided(always, claims, limits)
    conditional = (at for at, insert in enumerate(found) if not insert.always)
    for at in islice(conditional, _MOST_CONDITIONAL):
        given[at] = _divided(sorted([*always, at]), claims, limits)[at]
    return given


def _divided(
    packs: Sequence[int], claims: Sequence[Claim], limits: Limits
) -> dict[int, int | None]:
    return dict(zip(packs, shares(limits.pack_total, [claims[at] for at in packs]), strict=True))
