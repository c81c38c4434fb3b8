"""`previous=`: an earlier result, or its JSON, typed where it comes in."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from biblicus_context.assembly.call import PreviousCall
from biblicus_context.assembly.result.result import ContextAssemblyResult
from biblicus_context.base.deferred import Deferred
from biblicus_context.base.validation import first_invalid
from biblicus_context.errors import InputError

if TYPE_CHECKING:
    from biblicus_context.assembly.result.receipt import Receipt
    from biblicus_context.assembly.result.saved import SavedResult

    saved_from = SavedResult.model_validate
else:  # few calls pass JSON
    saved_from = Deferred("biblicus_context.assembly.result.saved:SavedResult.model_validate")

_FIX = "Pass the result of an earlier call, or what its to_json() returned."


def previous_from(given: object) -> PreviousCall:
    """What the next call needs to know of an earlier one."""
    if isinstance(given, ContextAssemblyResult):
        draft = given.draft
        if draft is None or draft.placement is None:
            return _of_receipt(given.messages, given.receipt)
        return PreviousCall(given.messages, given.token_count, draft.placement.history.first_kept)
    saved = _saved(given)
    return _of_receipt(saved.messages, saved.receipt)


def _of_receipt(messages: list[dict[str, Any]], receipt: Receipt) -> PreviousCall:
    kept = (
        turn.first
        for part in receipt.parts
        if part.kind == "history"
        for turn in part.turns
        if turn.action == "kept"
    )
    return PreviousCall(messages, receipt.used, min(kept, default=None))


def _saved(given: object) -> SavedResult:
    value = _parsed(given) if isinstance(given, str | bytes) else given
    if not isinstance(value, Mapping):
        raise InputError("previous must be a result", found=type(value).__name__, fix=_FIX)
    try:
        return saved_from(dict(value))
    except ValidationError as error:
        invalid = first_invalid(error)
        place = ".".join(["previous", *map(str, invalid.path)])
        raise InputError(invalid.problem, place=place, fix=_FIX) from None


def _parsed(text: str | bytes) -> object:
    try:
        return json.loads(text)
    except ValueError as error:
        raise InputError(f"previous is not JSON ({error})", fix=_FIX) from None
    except RecursionError:
        raise InputError("this is nested too deeply", place="previous", fix=_FIX) from None
