"""What a compactor is asked."""

from __future__ import annotations

from dataclasses import dataclass, field

from biblicus_context.text.counters import Counter, default_counter


@dataclass(frozen=True, slots=True)
class CompactionRequest:
    """A text, the tokens it may have, the question it is read for, and who counts."""

    text: str
    max_tokens: int
    query: str = ""
    counter: Counter = field(default_factory=default_counter)
