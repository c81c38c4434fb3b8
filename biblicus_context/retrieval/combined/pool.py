"""The blocks that sources offered, each piece of evidence once, with one score."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.fusion import Fusion, Search
from biblicus_context.retrieval.packs.evidence import score_of
from biblicus_context.retrieval.packs.facts import facts_of
from biblicus_context.retrieval.packs.pack import ContextPackBlock
from biblicus_context.spec.combined import SourceSpec

_MOST: Final = 1e100
"""Squares of scores of another library stay finite."""


EvidenceKey: TypeAlias = tuple[str | None, str, str]


class Offer(NamedTuple):
    """A block that a source offered."""

    source: str
    corpus: str | None
    """Blocks of one corpus with one id are the same evidence; without a corpus, if their texts are equal."""
    block: ContextPackBlock

    @property
    def key(self) -> EvidenceKey:
        """Equal only for the same evidence."""
        text = self.block.text if self.corpus is None else ""
        return self.corpus, text, self.block.evidence_item_id


class Pooled(NamedTuple):
    """A piece of evidence, whichever sources found it."""

    block: ContextPackBlock
    facts: Candidate
    """Its score is the fused one; the parts name the sources."""
    corpus: str | None
    places: Mapping[str, int]
    """Its place in the order of each source that found it."""
    id: str
    """The id of the evidence, different from that of any other in the pool."""
    tokens: int = 0
    """What it takes of the share, separator included."""

    @property
    def key(self) -> EvidenceKey:
        """Equal for the same evidence alone, as that of an offer."""
        return Offer("", self.corpus, self.block).key

    @property
    def candidate(self) -> Candidate:
        """The facts with these tokens, for a selection."""
        return self.facts._replace(tokens=self.tokens)


def pooled(offers: Sequence[Offer], sources: Sequence[SourceSpec], fusion: Fusion) -> list[Pooled]:
    """Every piece of evidence once, in the order of arrival, with the fused score of all sources.

    Of evidence with the same id from another corpus, the later one gets the name of its source in
    front: offers that follow on later pages never change an id.
    """
    found: dict[EvidenceKey, list[Offer]] = {}
    for offer in offers:
        found.setdefault(offer.key, []).append(offer)
    numbers = {key: number for number, key in enumerate(found)}
    scores = fusion([_search(source, offers, numbers) for source in sources])
    places = _places(offers)
    totals, ids = scores.by_id(), _ids(found)
    return [
        _pooled(same, ids[key], totals[number], scores.parts_of(number), places)
        for number, (key, same) in enumerate(found.items())
    ]


def _pooled(
    same: Sequence[Offer],
    identity: str,
    score: float,
    parts: Mapping[str, float],
    places: Mapping[tuple[str, str], int],
) -> Pooled:
    block, names = same[0].block, tuple(dict.fromkeys(offer.source for offer in same))
    found = {name: parts[name] for name in names}
    facts = facts_of(block)._replace(id=identity, score=score, parts=found, found_by=names)
    at = {name: places[name, block.evidence_item_id] for name in names}
    return Pooled(block, facts, same[0].corpus, at, identity)


def _search(
    source: SourceSpec, offers: Iterable[Offer], numbers: Mapping[EvidenceKey, int]
) -> Search[int]:
    """What one source found, by its scores; by its order if a block has none."""
    own = [offer for offer in offers if offer.source == source.name]
    scores = [score_of(offer.block) for offer in own]
    known = [score for score in scores if score is not None]
    known = [max(-_MOST, min(_MOST, score)) for score in known]
    given = known if len(known) == len(own) else [1 / (1 + place) for place in range(len(own))]
    by_number: dict[int, float] = {}
    for offer, score in zip(own, given, strict=True):
        by_number.setdefault(numbers[offer.key], score)
    return Search(source.name, by_number, source.weight)


def _places(offers: Iterable[Offer]) -> dict[tuple[str, str], int]:
    """The place of each block in the order of its source."""
    counts: dict[str, int] = {}
    places: dict[tuple[str, str], int] = {}
    for offer in offers:
        counts[offer.source] = counts.get(offer.source, 0) + 1
        places.setdefault((offer.source, offer.block.evidence_item_id), counts[offer.source])
    return places


def _ids(found: Mapping[EvidenceKey, Sequence[Offer]]) -> dict[object, str]:
    taken: set[str] = set()
    ids: dict[object, str] = {}
    for key, same in found.items():
        name, own = same[0].source, same[0].block.evidence_item_id
        while own in taken:
            own = f"{name}/{own}"
        taken.add(own)
        ids[key] = own
    return ids
