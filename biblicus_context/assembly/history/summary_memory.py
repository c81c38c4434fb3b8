"""Summaries remembered by the content that they summarise."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field


@dataclass(slots=True)
class SummaryMemory:
    """Summaries by what they summarise, the least recently used forgotten first."""

    most: int = 512
    _known: OrderedDict[tuple[str, str], str] = field(default_factory=OrderedDict)

    def get(self, key: tuple[str, str]) -> str | None:
        """The summary of this stretch, if it is known."""
        summary = self._known.get(key)
        if summary is not None:
            self._known.move_to_end(key)
        return summary

    def put(self, key: tuple[str, str], summary: str) -> None:
        """Remember the summary of a stretch."""
        self._known[key] = summary
        while len(self._known) > self.most:
            self._known.popitem(last=False)
