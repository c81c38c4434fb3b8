"""What keeps within a request of what a Biblicus corpus has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from biblicus_context.retrieval.packs.builders import ContextPackPolicy
from biblicus_context.retrieval.packs.cutting import start_of_best, within_characters
from biblicus_context.retrieval.packs.fitters import (
    TokenBudget,
    TokenCounter,
    counter_of,
    fit_context_pack_to_token_budget,
)
from biblicus_context.retrieval.packs.pack import ContextPack
from biblicus_context.retrieval.requests.request import ContextRetrieverRequest

_CHARACTERS_PER_TOKEN: Final = 4


def within(
    request: ContextRetrieverRequest,
    asked: Callable[[int, int | None], ContextPack],
    policy: ContextPackPolicy,
    counted: TokenCounter | None,
) -> ContextPack:
    """What keeps within the request; where every piece is larger, the start of the best one."""
    characters, most = request.maximum_total_characters, request.max_tokens
    guess = most * _CHARACTERS_PER_TOKEN if characters is None and most is not None else characters
    pack = asked(request.limit, guess)
    if guess is not None and not pack.blocks:
        pack = _with_characters(asked(1, None), characters)
    if most is None:
        return pack
    counter = counter_of(request.counter, counted)
    fitted = fit_context_pack_to_token_budget(
        pack,
        policy=policy,
        token_budget=TokenBudget(max_tokens=most),
        token_counter=counter,
    )
    return fitted if fitted.blocks else start_of_best(pack, most, counter.counter)


def _with_characters(pack: ContextPack, most: int | None) -> ContextPack:
    """The pack with no block longer than the characters that were allowed."""
    if most is None:
        return pack
    blocks = [
        block.model_copy(
            update={"text": within_characters(block.text, most, block.source or "the same source")}
        )
        for block in pack.blocks
    ]
    return pack.model_copy(
        update={"text": "".join(block.text for block in blocks), "blocks": blocks}
    )
