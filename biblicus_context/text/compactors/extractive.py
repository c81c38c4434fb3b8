"""Keep the sentences that matter most."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from biblicus_context.base.doors import door
from biblicus_context.text.compactors.compactor import CompactionRequest, CuttingCompactor
from biblicus_context.text.compactors.relevance import for_itself, for_question, words
from biblicus_context.text.cutting.cutting import longest_start
from biblicus_context.text.cutting.sentences import sentences


@door
@dataclass(frozen=True)
class ExtractiveCompactor(CuttingCompactor):
    """Keeps the sentences that matter most: for the question, or for the text if none match.

    >>> text = "Cats sleep. Dogs bark at night. Fish swim."
    >>> ExtractiveCompactor().compact(CompactionRequest(text, 6, "Which animal barks?"))
    'Dogs bark at night.'
    """

    def cut(self, request: CompactionRequest) -> str:
        """The best sentences that fit together, or the start of the best one."""
        parts = sentences(request.text)
        ranking = _ranking(parts, request.query)
        kept = _affordable(parts, ranking, request)
        while kept:
            text = _joined(parts, kept)
            over = request.counter.count(text) - request.max_tokens
            if over <= 0:
                return text
            while kept and over > 0:
                over -= kept.popitem()[1]
        best = parts[ranking.positions[0]] if ranking.positions else request.text
        return longest_start(best.strip(), request.max_tokens, request.counter)


@dataclass(frozen=True, slots=True)
class _Ranking:
    positions: Sequence[int]
    """Positions of sentences, the most important first, without repeated ones."""
    relevant: int
    """How many of them matter by themselves; the others only surround these."""


def _ranking(parts: Sequence[str], query: str) -> _Ranking:
    firsts = {part.strip(): position for position, part in reversed(list(enumerate(parts)))}
    positions = sorted(position for text, position in firsts.items() if text)
    bags = [words(parts[position]) for position in positions]
    relevance = for_question(bags, words(query))
    central = for_itself(bags)
    # A sentence without the words of the question may continue one that has them.
    adjacent = [
        max(around) for around in zip([0.0, *relevance], [*relevance[1:], 0.0], strict=False)
    ]
    order = sorted(
        range(len(positions)), key=lambda at: (-relevance[at], -adjacent[at], -central[at], at)
    )
    matching = sum(score > 0 for score in relevance)
    near = max(central, default=0.0) / 2
    near_the_middle = sum(score >= near for score in central)
    return _Ranking([positions[at] for at in order], matching or near_the_middle)


def _affordable(
    parts: Sequence[str], ranking: _Ranking, request: CompactionRequest
) -> dict[int, int]:
    """The positions that fit, with their tokens, the most important first.

    A relevant sentence that does not fit is skipped. The others are added in order, and the first
    that does not fit ends the list: the text would else end in odd fragments.
    """
    left = request.max_tokens
    kept: dict[int, int] = {}
    costs = request.counter.count_many([_spaced(parts, each) for each in ranking.positions])
    priced = list(zip(ranking.positions, costs, strict=True))
    for position, cost in priced[: ranking.relevant]:
        if cost <= left:
            kept[position] = cost
            left -= cost
    if kept:
        for position, cost in priced[ranking.relevant :]:
            left -= cost
            if left < 0:
                break
            kept[position] = cost
    return kept


def _spaced(parts: Sequence[str], position: int) -> str:
    """A sentence as it will count in the joined text, with what stands between it and another.

    Its last space is put in front, where it costs nothing.
    """
    sentence = parts[position]
    following = parts[position + 1 : position + 2]
    if following and not following[0].strip():
        return sentence + following[0]
    return f" {sentence[:-1]}" if sentence.endswith(" ") else sentence


def _joined(parts: Sequence[str], kept: Iterable[int]) -> str:
    """Join the kept sentences in their order, with the breaks of the text."""
    positions = sorted(kept)
    pieces = [parts[positions[0]]]
    for before, position in pairwise(positions):
        between = parts[before + 1 : position]
        breaks = [part for part in between if not part.strip()]
        if len(breaks) == len(between):
            pieces += between
        elif breaks:
            pieces[-1] = pieces[-1].rstrip()
            pieces.append(breaks[-1])
        pieces.append(parts[position])
    return "".join(pieces).rstrip()
