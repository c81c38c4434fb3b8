"""No single candidate above a share of the budget."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from biblicus_context.errors import InputError
from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.text.counters import Counter
from biblicus_context.text.cutting.cutting import longest_start

_NOTE: Final = "\n[… {tokens} more tokens: {where}]"
_SPARE: Final = 2
"""Tokens that a text and its note may count more together than apart: each retry gives way by this."""


def capped(
    candidates: Iterable[Candidate], budget: int, share: float, counter: Counter
) -> list[Candidate]:
    """The candidates; those above a share of the budget are cut, with a note where the rest is.

    A note that does not fit is left out; so is a candidate of which nothing fits.

    >>> from biblicus_context.text.counters.simple import WhitespaceCounter
    >>> long = Candidate(id="a", text="one two three four five six seven", tokens=7, where="a.md:1-9")
    >>> [cut] = capped([long], budget=12, share=0.5, counter=WhitespaceCounter())
    >>> print(cut.text)
    one
    [… 6 more tokens: a.md:1-9]
    """
    if not 0 < share <= 1:
        raise InputError("a cap is a share of the budget, above 0 and up to 1", found=share)
    most = int(budget * share)
    fitted = (each if each.tokens <= most else _cut(each, most, counter) for each in candidates)
    return [each for each in fitted if each is not None]


def _cut(candidate: Candidate, most: int, counter: Counter) -> Candidate | None:
    where = " ".join((candidate.where or candidate.source or candidate.id).split())
    note = _NOTE.format(tokens=candidate.tokens, where=where)
    start = longest_start(candidate.text, most - counter.count(note), counter)
    while start:
        rest = candidate.tokens - counter.count(start)
        text = start + _NOTE.format(tokens=rest, where=where)
        tokens = counter.count(text)
        if tokens <= most:
            return replace(candidate, text=text, tokens=tokens)
        start = longest_start(start, counter.count(start) - _SPARE, counter)
    start = longest_start(candidate.text, most, counter)
    return replace(candidate, text=start, tokens=counter.count(start)) if start else None
