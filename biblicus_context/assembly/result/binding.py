"""Which limit bound a pack: the one with the least left of it, found from the finished figures.

While packs are fitted, shares grow and blocks come back, so what bound first may bind no longer. The
reason that a receipt names must be true of the figures next to it: it is found last.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple, TypeAlias

from biblicus_context.assembly.draft import Draft, Gathered
from biblicus_context.assembly.reasons import Reason
from biblicus_context.assembly.steps.parts import PackPart


class Limit(NamedTuple):
    """A limit that a pack is under, and how many tokens of it are left."""

    reason: Reason
    left: int


Limits: TypeAlias = tuple[Limit, ...]

_ORDER: Final = {"cap": 0, "input_budget": 1, "pack_budget": 2, "share": 3}


def limits_of_context(draft: Draft, used: int, copies: int = 1) -> Limits:
    """The limits that the packs of a context share; `used` is what its packs have together."""
    limits: list[Limit] = []
    if not draft.level and draft.limits.budget is not None:
        total = draft.limits.budget
        limits.append(Limit(Reason("input_budget", total), total - draft.tokens))
    if draft.limits.pack_total is not None:
        name = draft.context.name if draft.level else ""
        total = draft.limits.pack_total * copies
        limits.append(Limit(Reason("pack_budget", total, of=name), total - used))
    return tuple(limits)


def limits_of_pack(cap: int | None, share: int | None, used: int) -> Limits:
    """The limits of one pack alone."""
    limits: list[Limit] = []
    if cap is not None:
        limits.append(Limit(Reason("cap", cap), cap - used))
    if share is not None:
        limits.append(Limit(Reason("share", share), share - used))
    return tuple(limits)


def cap_of(draft: Draft, index: int, gathered: Gathered, copies: int = 1) -> int | None:
    """The most that an author allows a pack: the budget of its directive, or of its own policy."""
    part, inner = draft.parts[index], gathered.nested
    cap = part.claim.cap if isinstance(part, PackPart) else None
    caps = [] if cap is None else [cap]
    if inner is not None and inner.limits.budget is not None:
        own = inner.limits.budget * gathered.fitted.row.copies
        share = draft.shares.get(index)
        if share is None or own < share:
            caps.append(own)
    return min(caps) * copies if caps else None


def seen_inside(limits: Limits, name: str) -> Limits:
    """The limits of a pack as those of the parts in it: its own share is not theirs."""
    return tuple(_named(limits, name))


def _named(limits: Limits, name: str) -> Iterator[Limit]:
    for limit in limits:
        reason = limit.reason
        is_own = reason.cause in ("share", "cap") and not reason.of
        yield limit._replace(reason=reason._replace(of=name)) if is_own else limit


def starving(limits: Limits) -> Reason:
    """Why a pack has no share: the nearest limit that is divided among packs."""
    divided = (
        limit.reason
        for limit in limits
        if limit.reason.cause == "pack_budget"
        or (limit.reason.cause in ("cap", "share") and limit.reason.of)
    )
    return next(divided, limits[-1].reason)


def binding(limits: Limits, needed: int = 0) -> Reason:
    """The limit that an author set on this pack, where `needed` tokens do not fit; else the fullest.

    A pack's own budget binds however much is left elsewhere. Of equals the one that an author set
    comes first, then the widest.
    """
    own = (limit for limit in limits if _is_own(limit) and limit.left < needed)
    fullest = min(limits, key=lambda limit: (limit.left, _ORDER[limit.reason.cause]))
    return next(own, fullest).reason


def _is_own(limit: Limit) -> bool:
    """Whether only this pack, or the context around it, is under this limit."""
    cause = limit.reason.cause
    return cause == "cap" or (cause == "pack_budget" and bool(limit.reason.of))
