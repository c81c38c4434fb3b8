"""Which limit bound a pack: the one with the least left of it, found from the finished figures.

While packs are fitted, shares grow and blocks come back, so what bound first may bind no longer. The
reason that a receipt names must be true of the figures next to it: it is found last.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Final, NamedTuple, TypeAlias, get_args

from biblicus_context.assembly.draft import Draft, Gathered
from biblicus_context.assembly.reasons import LimitCause, Reason
from biblicus_context.assembly.steps.parts import PackPart


class Limit(NamedTuple):
    """A limit that a pack is under, and how many tokens of it are left."""

    cause: LimitCause
    figure: int
    left: int
    of: str = ""
    """The context that it belongs to, where that is not the pack's own place."""

    @property
    def reason(self) -> Reason:
        """The limit as a reason."""
        return Reason(self.cause, self.figure, of=self.of)


Limits: TypeAlias = tuple[Limit, ...]
Bounds: TypeAlias = Limits | Reason
"""Limits, of which the figures say in the end which one bound; or the reason, where it is known already."""

_ORDER: Final = {cause: place for place, cause in enumerate(get_args(LimitCause))}


def limits_of_context(draft: Draft, used: int, copies: int = 1) -> Limits:
    """The limits that the packs of a context share; `used` is what its packs have together."""
    limits: list[Limit] = []
    if not draft.level and draft.limits.budget is not None:
        total = draft.limits.budget
        limits.append(Limit("input_budget", total, total - draft.tokens))
    if draft.limits.pack_total is not None:
        name = draft.context.name if draft.level else ""
        total = draft.limits.pack_total * copies
        limits.append(Limit("pack_budget", total, total - used, name))
    return tuple(limits)


def limits_of_pack(cap: int | None, share: int | None, used: int) -> Limits:
    """The limits of one pack alone."""
    limits: list[Limit] = []
    if cap is not None:
        limits.append(Limit("cap", cap, cap - used))
    if share is not None:
        limits.append(Limit("share", share, share - used))
    return tuple(limits)


def cap_of(draft: Draft, index: int, gathered: Gathered, copies: int = 1) -> int | None:
    """The most that an author allows a pack: the budget of its directive, or of its own policy."""
    part, inner = draft.parts[index], gathered.nested
    cap = part.claim.cap if isinstance(part, PackPart) else None
    caps = [] if cap is None else [cap]
    if inner is not None and inner.limits.budget is not None:
        own = (inner.limits.budget + inner.limits.around) * gathered.fitted.row.copies
        share = draft.shares.get(index)
        if share is None or own < share:
            caps.append(own)
    return min(caps) * copies if caps else None


def seen_inside(bounds: Bounds, name: str) -> Bounds:
    """The bounds of a pack as those of the parts in it: its own share is not theirs."""
    if isinstance(bounds, Reason):
        is_own = bounds.cause in ("share", "cap") and not bounds.of
        return bounds._replace(of=name) if is_own else bounds
    return tuple(_named(bounds, name))


def _named(limits: Limits, name: str) -> Iterator[Limit]:
    for limit in limits:
        is_own = limit.cause in ("share", "cap") and not limit.of
        yield limit._replace(of=name) if is_own else limit


def starving(bounds: Bounds) -> Reason:
    """Why a pack has no share: its own budget of 0, else the nearest limit that is divided among packs."""
    if isinstance(bounds, Reason):
        return bounds
    divided = (
        limit
        for limit in bounds
        if (limit.cause == "cap" and not limit.figure)
        or limit.cause == "pack_budget"
        or (limit.cause in ("cap", "share") and limit.of)
    )
    whole = (limit for limit in bounds if limit.cause == "input_budget")
    return next(chain(divided, whole), bounds[-1]).reason


def binding(bounds: Bounds, needed: int = 0) -> Reason:
    """The limit that an author set on this pack, where `needed` tokens do not fit; else the fullest.

    A pack's own budget binds however much is left elsewhere. Of equals the one that an author set
    comes first, then the widest.
    """
    if isinstance(bounds, Reason):
        return bounds
    own = (limit for limit in bounds if _is_own(limit) and limit.left < needed)
    fullest = min(bounds, key=lambda limit: (limit.left, _ORDER[limit.cause]))
    return next(own, fullest).reason


def _is_own(limit: Limit) -> bool:
    """Whether only this pack, or the context around it, is under this limit."""
    return limit.cause == "cap" or (limit.cause == "pack_budget" and bool(limit.of))
