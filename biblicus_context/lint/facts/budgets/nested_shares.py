"""Nested contexts whose text is larger than they may be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from biblicus_context.assembly.limits import nested_limits
from biblicus_context.lint.facts.budgets.pack_shares import PackShare, pack_shares
from biblicus_context.lint.facts.budgets.packs import PackInsert
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.spec.context import ContextDeclaration


@dataclass(frozen=True, slots=True)
class OversizedInsert:
    """A nested context whose text cannot fit."""

    insert: PackInsert
    problem: str


def oversized_inserts(plan: Plan, declared: Declarations) -> Iterator[OversizedInsert]:
    """The nested contexts of a document whose text is over a limit, so that every call fails."""
    if not isinstance(plan.declaration, ContextDeclaration):
        return
    limits = declared.limits(plan.declaration)
    if limits is None or limits.overflow == "none":
        return
    together = 0
    for share in pack_shares(plan, declared):
        needs = share.claim.needs
        if not needs or not share.insert.always:
            continue
        text = f"the text of context '{share.insert.name}' has {needs:,} tokens"
        room = _room(share, plan.declaration, declared)
        together += needs
        if room is not None and needs > room:
            yield OversizedInsert(share.insert, f"{text}, but its budget is {room:,}")
        elif limits.pack_total is not None and together > limits.pack_total:
            others = f" next to {together - needs:,} of the packs before it" * (together > needs)
            problem = f"{text}{others}, but the pack budget is {limits.pack_total:,}"
            yield OversizedInsert(share.insert, problem)
            return


def _room(share: PackShare, context: ContextDeclaration, declared: Declarations) -> int | None:
    """The smaller of the pack's budget and of the nested context's own."""
    nested, outer = share.insert.nested, declared.limits(context)
    if nested is None or outer is None:
        return share.own
    limits = nested_limits(declared.policy(nested), outer, share.own, declared.yardsticks)
    return share.own if limits.overflow == "none" else limits.budget
