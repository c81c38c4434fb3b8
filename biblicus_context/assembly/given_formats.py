"""The formats of packs that a call passes, in place of the plan's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias, TypeVar

from pydantic import ValidationError

from biblicus_context.base.validation import first_invalid
from biblicus_context.errors import InputError
from biblicus_context.spec.context import ContextDeclaration
from biblicus_context.spec.directive import ContextInsertSpec, FirstSpec
from biblicus_context.spec.format import FormatSpec
from biblicus_context.spec.pack import PackOptions

GivenFormat: TypeAlias = str | Mapping[str, Any] | FormatSpec
"""The name of a declared format, or what a format may declare."""

P = TypeVar("P", bound=PackOptions)


def with_formats(
    context: ContextDeclaration, given: Mapping[str, GivenFormat] | None
) -> ContextDeclaration:
    """The context with these formats of its packs, by name."""
    if not given:
        return context
    if not isinstance(given, Mapping):
        raise InputError(
            "formats must be a mapping of packs to formats",
            found=type(given).__name__,
            fix="Pass {'name': 'chat'}.",
        )
    names = [*dict.fromkeys(each.name for each in context.inserts)]
    for name in given:
        if name not in names:
            problem = "the context has no such pack"
            raise InputError(problem, place="formats", found=name, valid=names)
    formats = {name: _format(name, each) for name, each in given.items()}
    messages, packs = context.messages, context.packs
    return context.model_copy(
        update={
            "messages": messages and tuple(_with_format(each, formats) for each in messages),
            "packs": packs and tuple(_pack_with_format(each, formats) for each in packs),
        }
    )


def _with_format(directive: Any, given: Mapping[str, str | FormatSpec]) -> Any:
    match directive:
        case FirstSpec():
            each = tuple(_with_format(one, given) for one in directive.first)
            return directive.model_copy(update={"first": each})
        case ContextInsertSpec():
            return _pack_with_format(directive, given)
        case _:
            return directive


def _pack_with_format(pack: P, given: Mapping[str, str | FormatSpec]) -> P:
    return pack.model_copy(update={"format": given[pack.name]}) if pack.name in given else pack


def _format(name: str, given: GivenFormat) -> str | FormatSpec:
    if isinstance(given, str | FormatSpec):
        return given
    place = f"formats['{name}']"
    if not isinstance(given, Mapping):
        problem = "a format is the name of a declared one, or what it may declare"
        raise InputError(problem, place=place, found=type(given).__name__)
    try:
        return FormatSpec.model_validate(dict(given))
    except ValidationError as error:
        raise InputError(str(first_invalid(error)), place=place) from None
