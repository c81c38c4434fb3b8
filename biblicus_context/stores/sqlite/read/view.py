"""The numbers of blocks: their places among all that a principal can see of a version.

What is hidden has no number, so no number says whether anything is hidden.
"""

from __future__ import annotations

from typing import NamedTuple

from biblicus_context.base.arrays import Integers
from biblicus_context.stores.refusals import no_such_number
from biblicus_context.stores.sqlite.arrays import np
from biblicus_context.stores.sqlite.rank.columns import Columns
from biblicus_context.stores.sqlite.rank.visible_blocks import Seen


class View(NamedTuple):
    """All blocks, and those of them that can be seen."""

    columns: Columns
    seen: Seen

    def ordinals(self, numbers: Integers) -> Integers:
        """The blocks with these numbers."""
        if np.any((numbers < 0) | (numbers >= self.seen.blocks)):
            raise no_such_number(int(numbers.min()), int(numbers.max()))
        return self.seen.ordinals[numbers]

    def rows(self, numbers: Integers) -> Integers:
        """The rows of the blocks with these numbers."""
        return self.columns.table.rows[self.ordinals(numbers)]

    def numbers(self, ordinals: Integers) -> Integers:
        """The numbers of blocks that can be seen."""
        return np.searchsorted(self.seen.ordinals, ordinals)

    def numbers_of_rows(self, rows: Integers) -> Integers:
        """The same, of blocks by their rows."""
        return self.numbers(self.columns.ordinals_of(rows))
