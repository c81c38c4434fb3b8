"""Evidence as candidates, for ranking and selection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from biblicus_context.corpora.evidence import Evidence
from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.stores import Usage

_NEVER: Final = Usage()


def candidates(
    evidence: Sequence[Evidence],
    *,
    tokens: Sequence[int] | None = None,
    with_usage: bool = False,
) -> list[Candidate]:
    """One candidate for each; pass `tokens` to count what follows each block as well.

    How often a block was used is for ranking alone: a pack does not show it.
    """
    counts = tokens or [each.block.tokens for each in evidence]
    return [
        each.candidate(count, each.usage if with_usage else _NEVER)
        for each, count in zip(evidence, counts, strict=True)
    ]
