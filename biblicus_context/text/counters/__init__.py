"""Counting tokens: every vocabulary by name, remembered, and loaded when first used."""

from biblicus_context.text.counters.joined import count_followed, count_joined
from biblicus_context.text.counters.protocol import Counter
from biblicus_context.text.counters.registry import CounterLike, Counters
from biblicus_context.text.counters.remembering import RememberingCounter
from biblicus_context.text.counters.shared import default_counter

__all__ = [
    "Counter",
    "CounterLike",
    "Counters",
    "RememberingCounter",
    "count_followed",
    "count_joined",
    "default_counter",
]
