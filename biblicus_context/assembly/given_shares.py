"""The budgets of packs and of the history that a call passes, in place of the plan's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias, TypeVar

from pydantic import ValidationError

from biblicus_context.base.validation import first_invalid
from biblicus_context.errors import InputError
from biblicus_context.spec.budget import HistoryBudgetSpec, PackShareSpec
from biblicus_context.spec.context import ContextDeclaration
from biblicus_context.spec.directive import (
    ContextInsertSpec,
    FirstSpec,
    HistoryInsertSpec,
)
from biblicus_context.spec.pack import PackOptions

GivenShare: TypeAlias = int | Mapping[str, Any] | PackShareSpec
"""A number of tokens at most (0: nothing), or what the `budget` of a pack may declare."""

P = TypeVar("P", bound=PackOptions)
B = TypeVar("B", bound=PackShareSpec)

HISTORY: Final = "history"
"""The name of the history among packs."""


def with_shares(
    context: ContextDeclaration, given: Mapping[str, GivenShare] | None
) -> ContextDeclaration:
    """The context with these budgets of its packs, by name, and of its history."""
    if not given:
        return context
    if not isinstance(given, Mapping):
        raise InputError(
            "shares must be a mapping of packs to tokens",
            found=type(given).__name__,
            fix="Pass {'name': 500}.",
        )
    names = [*dict.fromkeys([*(each.name for each in context.inserts), *_history(context)])]
    for name in given:
        if name not in names:
            problem = "the context has no such pack"
            raise InputError(problem, place="shares", found=name, valid=names)
    messages, packs = context.messages, context.packs
    return context.model_copy(
        update={
            "messages": messages and tuple(_with_share(each, given) for each in messages),
            "packs": packs and tuple(_pack_with_share(each, given) for each in packs),
        }
    )


def _history(context: ContextDeclaration) -> list[str]:
    return [HISTORY for each in context.directives if isinstance(each, HistoryInsertSpec)]


def _with_share(directive: Any, given: Mapping[str, GivenShare]) -> Any:
    match directive:
        case FirstSpec():
            each = tuple(_with_share(one, given) for one in directive.first)
            return directive.model_copy(update={"first": each})
        case ContextInsertSpec():
            return _pack_with_share(directive, given)
        case HistoryInsertSpec() if HISTORY in given:
            budget = _budget(HISTORY, given[HISTORY], HistoryBudgetSpec)
            return directive.model_copy(update={"budget": budget})
        case _:
            return directive


def _pack_with_share(pack: P, given: Mapping[str, GivenShare]) -> P:
    if pack.name not in given:
        return pack
    budget = _budget(pack.name, given[pack.name], PackShareSpec)
    return pack.model_copy(update={"budget": budget})


def _budget(name: str, given: GivenShare, kind: type[B]) -> B:
    """The budget as its directive declares it; a plan cannot declare 0 tokens, but a ratio of 0."""
    place = f"shares['{name}']"
    if isinstance(given, PackShareSpec):
        settings = given.model_dump(exclude_unset=True)
    elif isinstance(given, Mapping):
        settings = dict(given)
    elif type(given) is int and given >= 0:
        settings = {"max_tokens": given} if given else {"ratio": 0}
    else:
        problem = "a share is a whole number of tokens, or what a budget may declare"
        fix = "Pass 500, or {'max_tokens': 500}."
        raise InputError(problem, place=place, found=given, fix=fix)
    try:
        return kind.model_validate(settings)
    except ValidationError as error:
        raise InputError(str(first_invalid(error)), place=place) from None
