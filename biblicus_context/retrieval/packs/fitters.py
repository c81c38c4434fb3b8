"""Fits a pack into a budget by dropping blocks."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import accumulate
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from biblicus_context.base.doors import door
from biblicus_context.errors import UnknownNameError
from biblicus_context.retrieval.packs.builders import ContextPackPolicy
from biblicus_context.retrieval.packs.pack import ContextPack
from biblicus_context.text.counters import Counter, Counters
from biblicus_context.text.counters.simple import FunctionCounter

CHARACTERS: Final = FunctionCounter("characters", len)
_BIBLICUS_NAMES: Final = {"naive-whitespace": "whitespace"}


class TokenCounter(BaseModel):
    """Names the counter of tokens."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    tokenizer_id: str = Field(
        default="o200k_base", min_length=1, description="A counter's name, or Biblicus' for it."
    )

    @property
    def counter(self) -> Counter:
        """The counter of this name."""
        return Counters().get(_BIBLICUS_NAMES.get(self.tokenizer_id, self.tokenizer_id))


def counter_of(requested: str | None, given: TokenCounter | None) -> TokenCounter:
    """The counter a caller passes, else the one a request names, else the default."""
    if given is not None:
        return given
    named = TokenCounter(tokenizer_id=requested) if requested else TokenCounter()
    try:
        named.counter  # noqa: B018 - only whether there is one
    except UnknownNameError:  # a counter that only the assembler has
        return TokenCounter()
    return named


class TokenBudget(BaseModel):
    """The most tokens of a pack."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    max_tokens: int = Field(ge=1, description="Tokens at most.")


class CharacterBudget(BaseModel):
    """The most characters of a pack."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    max_characters: int = Field(ge=1, description="Characters at most.")


@door
def count_tokens(text: str, *, tokenizer_id: str) -> int:
    """Tokens of a text.

    >>> count_tokens("one two  three", tokenizer_id="naive-whitespace")
    3
    """
    return TokenCounter(tokenizer_id=tokenizer_id).counter.count(text)


@door
def fit_context_pack_to_token_budget(
    context_pack: ContextPack,
    *,
    policy: ContextPackPolicy,
    token_budget: TokenBudget,
    token_counter: TokenCounter | None = None,
) -> ContextPack:
    """The pack without as many blocks from the end as do not fit; no block is rewritten.

    A block larger than the whole budget is dropped before any other.
    """
    counter = (token_counter or TokenCounter()).counter
    return _fitted(context_pack, policy.join_with, counter, token_budget.max_tokens)


@door
def fit_context_pack_to_character_budget(
    context_pack: ContextPack,
    *,
    policy: ContextPackPolicy,
    character_budget: CharacterBudget,
) -> ContextPack:
    """The same as for tokens, in characters."""
    return _fitted(context_pack, policy.join_with, CHARACTERS, character_budget.max_characters)


def _fitted(pack: ContextPack, join_with: str, counter: Counter, maximum: int) -> ContextPack:
    if not pack.blocks:
        fits = counter.count(pack.text) <= maximum
        return pack.model_copy() if fits else ContextPack(text="", evidence_count=0)
    kept = longest_fit(
        [block.text for block in pack.blocks],
        join_with=join_with,
        counter=counter,
        maximum=maximum,
        ranking=range(len(pack.blocks)),
    )
    blocks = [pack.blocks[position].model_copy(deep=True) for position in sorted(kept)]
    return ContextPack(
        text=join_with.join(block.text for block in blocks),
        evidence_count=len(blocks),
        blocks=blocks,
    )


def longest_fit(
    texts: Sequence[str],
    *,
    join_with: str,
    counter: Counter,
    maximum: int,
    ranking: Sequence[int],
    required: Collection[int] = (),
) -> set[int]:
    """Positions of the required texts and of the longest start of the ranking that fits with them.

    The required texts must fit. A ranked text that is larger than what they leave is skipped: it
    could never be kept, and no text after it would be.
    """

    def size(positions: Iterable[int]) -> int:
        return counter.count(join_with.join(texts[position] for position in sorted(positions)))

    room = maximum - size(required)
    # Only a guess: tokens merge across a join, so the sum is near the joined count, not equal to it.
    # The probes below count the joined text itself.
    added = counter.count_many([texts[position] + join_with for position in ranking])
    possible = [
        (position, tokens)
        for position, tokens in zip(ranking, added, strict=True)
        if tokens <= room or counter.count(texts[position]) <= room
    ]
    candidates = [position for position, _ in possible]
    guess = bisect_right(list(accumulate(tokens for _, tokens in possible)), room)
    kept = _largest(
        lambda number: size([*required, *candidates[:number]]) <= maximum,
        near=max(1, guess),
        most=len(candidates),
    )
    return {*required, *candidates[:kept]}


def _largest(fits: Callable[[int], bool], *, near: int, most: int) -> int:
    """The largest number up to `most` that fits, searched outwards from a guess; 0 always fits."""
    low, high = 0, most + 1
    probe, step = near, 1
    while high - low > 1:
        if not low < probe < high:
            probe = (low + high) // 2
        if fits(probe):
            low, probe = probe, probe + step
        else:
            high, probe = probe, probe - step
        step *= 2
    return low
