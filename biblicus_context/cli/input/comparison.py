"""Two sides assembled alike, whatever each of them is."""

from __future__ import annotations

from collections.abc import Sequence

from biblicus_context.assembly.inputs import ALWAYS_ACCEPTED
from biblicus_context.assembly.result.saved import SavedResult, saved_from
from biblicus_context.cli.input.calling import prepared_in, refuse_unknown, retrievers_of
from biblicus_context.cli.input.material import Material, material
from biblicus_context.cli.input.options import HandedIn, Place
from biblicus_context.cli.input.sides import Planned, Sides
from biblicus_context.errors import InputError
from biblicus_context.spec.context import ContextDeclaration


def compared(
    written: Sequence[str],
    place: Place,
    handed_in: HandedIn,
    limits: tuple[int | None, str | None],
    context: str | None,
) -> list[SavedResult]:
    """Each side as it comes out under the same budget and model, with the same things handed in.

    An input or an answer that only one side knows is for that side alone.
    """
    given = material(handed_in)
    sides = list(map(Sides(place, context, given.answers).side, written))
    planned = [each for each in sides if isinstance(each, Planned)]
    if planned:
        refuse_unknown(given.answers, retrievers_of(*(each.project for each in planned)))
        _refuse_inputs([each.context for each in planned], given)
    return [
        _assembled(each, given, limits) if isinstance(each, Planned) else each for each in sides
    ]


def _assembled(one: Planned, given: Material, limits: tuple[int | None, str | None]) -> SavedResult:
    inputs = given.inputs_of(one.context)
    accepted = {name: value for name, value in inputs.items() if _accepts(one.context, name)}
    return saved_from(prepared_in(one.project, one.context, given, accepted).assembled(*limits))


def _refuse_inputs(contexts: Sequence[ContextDeclaration], given: Material) -> None:
    for name in given.inputs_of(contexts[0]):
        if not any(_accepts(context, name) for context in contexts):
            valid = sorted({known for context in contexts for known in context.inputs or {}})
            raise InputError("unknown input", found=name, valid=valid)


def _accepts(context: ContextDeclaration, name: str) -> bool:
    return context.inputs is None or name in context.inputs or name in ALWAYS_ACCEPTED
