"""The shares of the packs that a context inserts, divided as the engine does, and texts that exceed them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from biblicus_context.assembly.division import Claim, shares
from biblicus_context.assembly.limits import Limits, nested_limits
from biblicus_context.errors import PlanError
from biblicus_context.lint.facts.budgets.packs import PackInsert, inserts
from biblicus_context.lint.facts.budgets.sizes import holds_only_text, inserted_text
from biblicus_context.lint.facts.memoize import once_per_document
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.spec.context import ContextDeclaration

_MOST_CONDITIONAL = 100
"""Packs that are not placed in every call whose shares are worked out; each is a division."""


@dataclass(frozen=True, slots=True)
class PackShare:
    """The tokens that a pack may use; None where nothing limits them.

    Without a pack budget they are what it has of the whole budget at most: texts and history come first.
    """

    insert: PackInsert
    claim: Claim
    tokens: int | None
    """Its share, before what other packs leave of theirs flows to it."""
    most: int | None
    """What it can get at most."""

    @property
    def own(self) -> int | None:
        """The tokens of its own budget."""
        return self.claim.cap


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
        claims = [_claim(insert, limits, declared) for insert in found]
    except PlanError:  # a ratio without a budget, which BC305 reports
        return ()
    given = _given(found, claims, limits)
    needed = sum(claims[at].needs for at, insert in enumerate(found) if insert.always)
    return tuple(
        PackShare(insert, claims[at], given[at], _most(insert, claims[at], limits, needed))
        for at, insert in enumerate(found)
        if at in given
    )


def _claim(insert: PackInsert, limits: Limits, declared: Declarations) -> Claim:
    options = insert.options
    claim = Claim(
        weight=1.0 if options.weight is None else options.weight,
        priority=options.priority or 0,
        cap=limits.part_of_budget(options.budget),
        minimum=(options.budget and options.budget.min_tokens) or 0,
    )
    if insert.nested is None:
        return claim
    return claim._replace(
        needs=limits.counter.count(inserted_text(insert, limits, declared)),
        elastic=not holds_only_text(insert.nested, declared),
    )


def _most(insert: PackInsert, claim: Claim, limits: Limits, needed: int) -> int | None:
    """All that the texts of other packs leave, within its own budget."""
    if limits.packs_at_most is None:
        return claim.cap
    left = limits.packs_at_most - (needed - claim.needs if insert.always else needed)
    return max(0, left if claim.cap is None else min(left, claim.cap))


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
    given = shares(limits.packs_at_most, [claims[at] for at in packs])
    return dict(zip(packs, given, strict=True))


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
        elif limits.packs_at_most is not None and together > limits.packs_at_most:
            others = f" next to {together - needs:,} of the packs before it" * (together > needs)
            limit = "input budget" if limits.pack_total is None else "pack budget"
            problem = f"{text}{others}, but the {limit} is {limits.packs_at_most:,}"
            yield OversizedInsert(share.insert, problem)
            return


def _room(share: PackShare, context: ContextDeclaration, declared: Declarations) -> int | None:
    """The smaller of the pack's budget and of the nested context's own."""
    nested, outer = share.insert.nested, declared.limits(context)
    if nested is None or outer is None:
        return share.own
    limits = nested_limits(declared.policy(nested), outer, share.own, declared.yardsticks)
    return share.own if limits.overflow == "none" else limits.budget
