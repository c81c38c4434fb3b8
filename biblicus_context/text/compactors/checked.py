"""Any compactor, checked: the text it returns fits, or it is cut."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from biblicus_context.base.doors import door
from biblicus_context.base.effects import Effectful
from biblicus_context.base.outlines import outline_of
from biblicus_context.errors import CompactorError
from biblicus_context.text.cutting.cutting import longest_start, tokens_within

if TYPE_CHECKING:
    from biblicus_context.text.compactors.compactor import BaseCompactor, CompactionRequest


class Shortened(NamedTuple):
    """A text that fits, its tokens, and what was corrected."""

    text: str
    tokens: int
    note: str | None = None


@door
def shorten_checked(compactor: BaseCompactor, request: CompactionRequest) -> Effectful[Shortened]:
    """The compactor's answer, cut if it has more than `max_tokens`.

    A CompactorError is raised: the author wants no other answer.
    """
    if request.max_tokens <= 0:
        return Shortened("", 0)
    tokens = tokens_within(request.text, request.max_tokens, request.counter)
    if tokens is not None:
        return Shortened(request.text, tokens)
    try:
        answer: object = yield from compactor.shorten(request)
    except CompactorError:
        raise
    except Exception as error:  # the code of a compactor may be anyone's
        note = f"the compactor raised {outline_of(error)[:200]}"
        return _cut(request.text, f"{note}; the text was cut", request)
    if not isinstance(answer, str):
        note = f"the compactor returned {type(answer).__name__} instead of text"
        return _cut(request.text, f"{note}; the text was cut", request)
    tokens = tokens_within(answer, request.max_tokens, request.counter)
    if tokens is not None:
        return Shortened(answer, tokens)
    note = f"the compactor returned more than {request.max_tokens} tokens"
    return _cut(answer, f"{note}; its answer was cut", request)


def _cut(text: str, note: str, request: CompactionRequest) -> Shortened:
    kept = longest_start(text, request.max_tokens, request.counter)
    return Shortened(kept, request.counter.count(kept), note)
