"""Files are cut here, and, where there are many, by a helper while this process does the rest."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Iterator
from typing import Final, TypeGuard

from biblicus_context.ingest.chunks.cutting import Cut, Cutting, Item, Job
from biblicus_context.ingest.entries import Drawn
from biblicus_context.ingest.files.walking import Skipped
from biblicus_context.ingest.helper.process import Helper, can_help

_MANY: Final = 3_000_000
"""Bytes of all files; fewer are done sooner than a helper's start is made up for."""
_ENOUGH: Final = 500_000
"""Bytes of those that are cut here first, as most files of an ingest may be unchanged."""
_PARCEL: Final = 125_000
"""Bytes that are handed over at once, if one file has not more."""
_MOST_ASKED: Final = 1_000_000
"""Bytes that wait to be cut, or were cut and wait to be taken, unless it is one parcel alone."""
_LEAST: Final = 1_000
"""Bytes that a file counts for at least, so that no parcel has many empty ones."""


class HelpedCutting:
    """Cuts files in their order; who does it makes no difference to what comes of them.

    `size` is that of all files, unchanged ones included, in bytes.
    """

    def __init__(self, cutting: Cutting, size: int) -> None:
        self._cutting = cutting
        self._is_large = size >= _MANY
        self._helper: Helper | None = None

    def close(self) -> None:
        """End the helper, if there is one."""
        if self._helper is not None:
            self._helper.end()

    def __call__(self, items: Iterable[Item]) -> Iterator[Cut]:
        """What becomes of the items."""
        coming = iter(items)
        enough = yield from self._first(coming)
        helper = self._started() if enough and self._is_large else None
        for item in coming:
            yield self._cutting.of(item)
            if helper is not None and helper.ready:
                yield from self._shared(coming, helper)

    def _first(self, items: Iterator[Item]) -> Generator[Cut, None, bool]:
        """Whether so much became documents that a helper is worth its start."""
        size = 0
        for item in items:
            cut = self._cutting.of(item)
            yield cut
            size += cut.document.size if isinstance(cut.document, Drawn) else 0
            if size >= _ENOUGH:
                return True
        return False

    def _started(self) -> Helper | None:
        if can_help(self._cutting):
            try:
                self._helper = Helper(self._cutting)
            except OSError:  # no memory, no more processes, no such program
                return None
        return self._helper

    def _shared(self, items: Iterable[Item], helper: Helper) -> Iterator[Cut]:
        asked: deque[list[Item]] = deque()
        for parcel in _parcels(items):
            helper.ask(self._jobs(parcel))
            asked.append(parcel)
            while len(asked) > 1 and sum(map(_sizes, asked)) > _MOST_ASKED:
                yield from self._answered(asked.popleft(), helper)
        for parcel in asked:
            yield from self._answered(parcel, helper)

    def _answered(self, parcel: list[Item], helper: Helper) -> Iterator[Cut]:
        """In the order of the parcel: what the helper made of a file, or what this process does."""
        answers = iter(helper.answer(self._jobs(parcel)))
        for item in parcel:
            cut = next(answers) if self._is_of_helper(item) else None
            yield cut or self._cutting.of(item)

    def _jobs(self, parcel: list[Item]) -> list[Job]:
        return [item for item in parcel if self._is_of_helper(item)]

    def _is_of_helper(self, item: Item) -> TypeGuard[Job]:
        """A reader that was added may be anything, and stays in the process that it was given to."""
        return isinstance(item, Job) and not self._cutting.readers.is_extra(item.content)


def _parcels(items: Iterable[Item]) -> Iterator[list[Item]]:
    parcel: list[Item] = []
    size = 0
    for item in items:
        parcel.append(item)
        size += _size(item)
        if size >= _PARCEL:
            yield parcel
            parcel, size = [], 0
    if parcel:
        yield parcel


def _sizes(parcel: list[Item]) -> int:
    return sum(map(_size, parcel))


def _size(item: Item) -> int:
    return _LEAST if isinstance(item, Skipped) else max(_LEAST, len(item.content.data))
