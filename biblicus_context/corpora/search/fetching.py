"""Evidence of one ranking, read once from the store: ranking and showing both need it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from biblicus_context.corpora.evidence import Evidence, RankedBlock


class FetchedOnce:
    """Remembers the evidence of blocks while they are ranked and listed; each block is read once."""

    def __init__(self, fetch: Callable[[Sequence[RankedBlock]], Sequence[Evidence]]) -> None:
        self._fetch = fetch
        self._known: dict[str, Evidence] = {}

    def __call__(self, ranked: Sequence[RankedBlock]) -> list[Evidence]:
        """The evidence of these blocks with the scores that they have now; those that are gone are missing."""
        known = self._known
        new = [each for each in ranked if each.block_id not in known]
        found = {each.block.id: each for each in self._fetch(new)} if new else {}
        shown = [
            found.get(each.block_id) or _scored(known[each.block_id], each)
            for each in ranked
            if each.block_id in found or each.block_id in known
        ]
        known |= found
        return shown


def _scored(evidence: Evidence, ranked: RankedBlock) -> Evidence:
    # Twice as fast as `dataclasses.replace`, and there is one for each block of a pack.
    return Evidence(
        evidence.block,
        evidence.document,
        ranked.score,
        ranked.parts,
        evidence.passage,
        evidence.replaces,
        evidence.left_out,
        evidence.usage,
        evidence.contains,
    )
