"""How large chunks are."""

from __future__ import annotations

from dataclasses import dataclass

from biblicus_context.errors import InputError


@dataclass(frozen=True, slots=True)
class ChunkSettings:
    """How large chunks are, in tokens."""

    target: int = 200
    """A chunk is closed before it would grow beyond this."""
    most: int = 400
    """No chunk is larger; what cannot be cut at a seam is cut between words."""
    least: int = 40
    """A smaller section shares a chunk with the next one."""

    def __post_init__(self) -> None:
        if not 0 <= self.least <= self.target <= self.most or self.most < 1:
            raise InputError(
                "chunk sizes have to grow from least to target to most",
                found=f"{self.least}, {self.target}, {self.most}",
            )
