"""What a retriever found and leaves out, each with the setting or the limit that bound."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from biblicus_context.retrieval.candidate import Candidate

Cause: TypeAlias = Literal[
    "min_score", "duplicate", "limit", "share", "maximum_total_characters", "select", "failed"
]


class LeftOut(NamedTuple):
    """A candidate that is not placed."""

    candidate: Candidate
    cause: Cause
    figure: int | None = None
    detail: str = ""
