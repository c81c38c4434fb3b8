"""A server that follows the primary: it is read where it has what a version needs, else the primary is.

Which version is the newest one only the primary says, so nothing that was written, hidden or taken back is missed.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

from biblicus_context.stores.errors import StoreError
from biblicus_context.stores.postgres.driver import PostgresServer, Rows
from biblicus_context.stores.postgres.opening import Opened
from biblicus_context.stores.sql import Sql

_REST: Final = 5.0
"""Seconds for which a replica that failed is not asked."""
_STATE: Final = "SELECT s.version, s.repacked, s.sorted, s.oldest FROM space s WHERE s.ws = %s"


class Replica:
    """The connections to it, and whether it answered of late."""

    def __init__(self, server: PostgresServer) -> None:
        self.server = server
        self._rests_until = 0.0

    def read(
        self, settings: Sql, opened: Opened, sorted_: int, statements: Sequence[Sql]
    ) -> tuple[int, list[Rows]] | None:
        """What is sorted there, and what each statement finds; None if the replica has not followed so far, or does not answer."""
        if time.monotonic() < self._rests_until:
            return None
        state = Sql(_STATE, (opened.ws,))
        try:
            found = self.server.read(settings, state, *statements)
        except StoreError:  # such as a statement that was in the way of what it has to follow
            self._rests_until = time.monotonic() + _REST
            return None
        pin = opened.pin
        for version, repacked, last, oldest in found[0]:
            is_recent = version >= pin.newest and last >= sorted_
            # Rows are the primary's: with the numbers of its packs, and none of the version deleted.
            if is_recent and repacked == pin.repacked and oldest <= pin.version:
                return last, found[1:]
        return None
