"""A bounded memory of counts, by text."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Memory:
    """Two generations of counts: what is used moves to the young one, the old one is forgotten.

    A look-up is one dictionary look-up without a lock. When the young generation is full it becomes
    the old one, so at most twice `entries` texts with twice `characters` in all are held.
    """

    def __init__(self, entries: int, characters: int) -> None:
        self._entries = entries
        self._characters = characters
        self._lock = Lock()
        self._young: dict[str, int] = {}
        self._old: dict[str, int] = {}
        self._young_characters = 0

    def get(self, text: str) -> int | None:
        """The count of a text, if it is remembered."""
        count = self._young.get(text)
        if count is None and self._old:
            count = self._old.get(text)
            if count is not None:
                self.put({text: count})
        return count

    def get_many(self, texts: Sequence[str]) -> list[int | None]:
        """The counts of texts, None where one is not remembered."""
        counts = list(map(self._young.get, texts))
        if self._old and None in counts:
            return [
                self.get(text) if count is None else count
                for text, count in zip(texts, counts, strict=True)
            ]
        return counts

    def put(self, counts: Mapping[str, int]) -> None:
        """Remember counts; a text too large for a generation is not kept."""
        characters = sum(map(len, counts))
        with self._lock:
            if self._has_room(len(counts), characters):
                self._young.update(counts)
                self._young_characters += characters
            else:
                self._put_one_by_one(counts)

    def _put_one_by_one(self, counts: Mapping[str, int]) -> None:
        for text, count in counts.items():
            if len(text) > self._characters:
                continue
            if not self._has_room(1, len(text)):
                self._old = self._young
                self._young = {}
                self._young_characters = 0
            self._young[text] = count
            self._young_characters += len(text)

    def _has_room(self, entries: int, characters: int) -> bool:
        return (
            len(self._young) + entries <= self._entries
            and self._young_characters + characters <= self._characters
        )

    def __len__(self) -> int:
        return len(self._young) + len(self._old)
