"""A memory of token counts, made for look-ups of many texts at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from biblicus_context.base.forks import child_lock

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class CountMemory:
    """Two generations of counts: a count that is used moves to the young one.

    A full young generation replaces the old one, which is forgotten. So the memory holds at most
    twice `entries` texts and twice `characters`.
    """

    # Not a BoundedMemory: that takes a lock and reorders its entries at each look-up, while a warm
    # assembly looks up thousands of texts. Here a look-up only reads one dictionary.

    def __init__(self, entries: int, characters: int) -> None:
        self._entries = entries
        self._characters = characters
        self._lock = child_lock()
        self._young: dict[str, int] = {}
        self._old: dict[str, int] = {}
        self._young_characters = 0

    def get(self, text: str) -> int | None:
        """The count of a text, or None if it is not remembered."""
        count = self._young.get(text)
        if count is None and self._old:
            count = self._old.get(text)
            if count is not None:
                self.put([text], [count])
        return count

    def counts(
        self, texts: Sequence[str], count_many: Callable[[Sequence[str]], list[int]]
    ) -> list[int]:
        """The counts of texts; those that are not remembered are counted together, once."""
        counts: list[Any] = list(map(self._young.get, texts))
        if None not in counts:
            return counts
        if self._old:
            pairs = zip(texts, counts, strict=True)
            counts = [self.get(text) if count is None else count for text, count in pairs]
        pairs = zip(texts, counts, strict=True)
        new = list(dict.fromkeys([text for text, count in pairs if count is None]))
        if not new:
            return counts
        counted = count_many(new)
        self.put(new, counted)
        if len(new) == len(texts):
            return counted
        known = dict(zip(new, counted, strict=True))
        pairs = zip(texts, counts, strict=True)
        return [known[text] if count is None else count for text, count in pairs]

    def put(self, texts: Sequence[str], counts: Sequence[int]) -> None:
        """Remember counts; a text too large for a generation is not kept."""
        characters = sum(map(len, texts))
        if characters > self._characters or len(texts) > self._entries:
            self._put_what_fits(texts, counts)
            return
        with self._lock:
            if (
                len(self._young) + len(texts) > self._entries
                or self._young_characters + characters > self._characters
            ):
                self._old = self._young
                self._young = {}
                self._young_characters = 0
            self._young.update(zip(texts, counts, strict=True))
            self._young_characters += characters

    def _put_what_fits(self, texts: Sequence[str], counts: Sequence[int]) -> None:
        for text, count in zip(texts, counts, strict=True):
            if len(text) <= self._characters:
                self.put([text], [count])

    def __len__(self) -> int:
        return len(self._young) + len(self._old)
