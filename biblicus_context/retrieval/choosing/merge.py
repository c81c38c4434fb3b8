"""The blocks that sources offered, each piece of evidence once, with one score."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from biblicus_context.retrieval.candidate import Candidate, EvidenceKey, key_of
from biblicus_context.retrieval.fusion import Fusion, Search
from biblicus_context.retrieval.packs.evidence import score_of
from biblicus_context.retrieval.packs.facts import facts_of
from biblicus_context.retrieval.packs.pack import ContextPackBlock
from biblicus_context.spec.combined import SourceSpec

_MOST: Final = 1e100
"""Squares of scores of another library stay finite."""


def offer(block: ContextPackBlock, source: str, corpus: str | None) -> Candidate:
    """A block that a source offers."""
    own = block.evidence_item_id
    return facts_of(block)._replace(
        id=own, tokens=0, found_by=(source,), corpus=corpus, offered=block
    )


def merge(
    offers: Sequence[Candidate], sources: Sequence[SourceSpec], fusion: Fusion
) -> list[Candidate]:
    """Every piece of evidence once, in the order of arrival, with the fused score of all sources.

    Of evidence with the same id from another corpus, the later one gets the name of its source in
    front: offers that follow on later pages never change an id.
    """
    found: dict[EvidenceKey, list[Candidate]] = {}
    for each in offers:
        found.setdefault(key_of(each), []).append(each)
    numbers = {key: number for number, key in enumerate(found)}
    scores = fusion([_search(source, offers, numbers) for source in sources])
    places = _places(offers)
    totals, ids = scores.by_id(), _ids(found)
    return [
        _merged(same, ids[key], totals[number], scores.parts_of(number), places)
        for number, (key, same) in enumerate(found.items())
    ]


def _merged(
    same: Sequence[Candidate],
    identity: str,
    score: float,
    parts: Mapping[str, float],
    places: Mapping[tuple[str, str], int],
) -> Candidate:
    first, names = same[0], tuple(dict.fromkeys(name for each in same for name in each.found_by))
    return first._replace(
        id=identity,
        score=score,
        parts={name: parts[name] for name in names},
        found_by=names,
        places={name: places[name, first.id] for name in names},
    )


def _search(
    source: SourceSpec, offers: Iterable[Candidate], numbers: Mapping[EvidenceKey, int]
) -> Search[int]:
    """What one source found, by its scores; by its order if a block has none."""
    own = [each for each in offers if each.found_by == (source.name,)]
    scores = [score_of(each.offered) for each in own]
    known = [score for score in scores if score is not None]
    known = [max(-_MOST, min(_MOST, score)) for score in known]
    given = known if len(known) == len(own) else [1 / (1 + place) for place in range(len(own))]
    by_number: dict[int, float] = {}
    for each, score in zip(own, given, strict=True):
        by_number.setdefault(numbers[key_of(each)], score)
    return Search(source.name, by_number, source.weight)


def _places(offers: Iterable[Candidate]) -> dict[tuple[str, str], int]:
    """The place of each block in the order of its source."""
    counts: dict[str, int] = {}
    places: dict[tuple[str, str], int] = {}
    for each in offers:
        (source,) = each.found_by
        counts[source] = counts.get(source, 0) + 1
        places.setdefault((source, each.id), counts[source])
    return places


def _ids(found: Mapping[EvidenceKey, Sequence[Candidate]]) -> dict[object, str]:
    taken: set[str] = set()
    ids: dict[object, str] = {}
    for key, same in found.items():
        (name,), own = same[0].found_by, same[0].id
        while own in taken:
            own = f"{name}/{own}"
        taken.add(own)
        ids[key] = own
    return ids
