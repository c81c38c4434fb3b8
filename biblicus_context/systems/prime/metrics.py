"""What building a context took, from its receipt."""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, ConfigDict

from biblicus_context.assembly import Receipt
from biblicus_context.base import door, logger


@door
class ContextMetrics(BaseModel):
    """Times are in seconds; the hit rate is that of all builds so far."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    assembly_time: float
    items_retrieved: int
    items_selected: int
    token_usage: int
    cache_hit_rate: float
    search_latency: float
    scoring_latency: float
    optimization_latency: float

    @classmethod
    def of(cls, receipt: Receipt, seconds: float, hit_rate: float, *, is_new: bool = True) -> Self:
        """The metrics of a context that took this long; one that is not new was only remembered."""
        blocks = [block for part in receipt.parts for block in part.blocks]
        steps = receipt.steps if is_new else ()
        took = {each.name.rpartition(": ")[2]: each.seconds for each in steps}
        return cls(
            assembly_time=seconds,
            items_retrieved=len(blocks),
            items_selected=sum(block.given > 0 for block in blocks),
            token_usage=receipt.used,
            cache_hit_rate=hit_rate,
            search_latency=took.get("search", 0.0),
            scoring_latency=took.get("rank", 0.0),
            optimization_latency=took.get("select", 0.0),
        )

    def report(self, system: str) -> None:
        """Write one line to the log `biblicus_context.metrics`, with the figures as its extra fields."""
        said = self.model_dump()
        logger("metrics").info("context assembly metrics of %s", system, extra=said)
