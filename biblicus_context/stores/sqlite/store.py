"""A store in a folder of its own: one SQLite file for each workspace."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import closing
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Self

from biblicus_context.errors import MissingExtraError
from biblicus_context.stores import checks
from biblicus_context.stores.batch_checks import checked
from biblicus_context.stores.model import Batch
from biblicus_context.stores.principal import Principal
from biblicus_context.stores.sqlite.files import upkeep
from biblicus_context.stores.sqlite.files.capability import require_capable
from biblicus_context.stores.sqlite.files.connections import open_database
from biblicus_context.stores.sqlite.files.database_errors import told
from biblicus_context.stores.sqlite.files.folder import (
    Folder,
    existing_folder,
    folder,
    is_writable,
)
from biblicus_context.stores.sqlite.files.integrity import problems
from biblicus_context.stores.sqlite.files.open_workspaces import Spaces
from biblicus_context.stores.sqlite.rank import vocabulary
from biblicus_context.stores.sqlite.read import info as numbers
from biblicus_context.stores.sqlite.read import usage as use
from biblicus_context.stores.sqlite.read.reads import SqliteReads
from biblicus_context.stores.sqlite.schema.moments import microseconds

KEEP_SECONDS: Final = 3600.0
"""How long after a change a read may still be pinned to the version before it."""


def open_store(
    path: str | os.PathLike[str], *, create: bool = True, keep_seconds: float = KEEP_SECONDS
) -> SqliteStore:
    """Open the store in a folder, or make one there.

    >>> from tempfile import mkdtemp
    >>> from biblicus_context.stores import Principal
    >>> with open_store(mkdtemp()) as store:
    ...     store.version(Principal("acme"))
    0
    """
    if find_spec("numpy") is None:
        raise MissingExtraError("numpy", "corpus")
    require_capable()
    place = Path(path)
    return SqliteStore(folder(place) if create else existing_folder(place), keep_seconds)


class SqliteStore(SqliteReads):
    """Each method's contract is that of the Protocol."""

    def __init__(self, folder: Folder, keep_seconds: float) -> None:
        super().__init__(Spaces(folder))
        self._folder = folder
        self._keep = int(1e6 * checks.positive(keep_seconds, "keep_seconds"))

    def write(self, principal: Principal, batch: Batch) -> int:
        """Write a batch in one transaction."""
        from biblicus_context.stores.sqlite.write import writer  # noqa: PLC0415 - numpy is heavy

        sound = checked(batch)
        now = time.time_ns() // 1000
        with self._spaces.made(principal).writing(principal) as reading:
            return writer.write(reading, sound, now, swept_before=now - self._keep)

    def record_use(self, principal: Principal, block_ids: Sequence[str], *, when: datetime) -> None:
        """Count that blocks were placed in a context."""
        ids = checks.ids(block_ids, "block_ids")
        moment = microseconds(checks.moment(when, "when"))
        if space := self._spaces.found(principal):
            with space.writing(principal) as reading:
                use.record_use(reading, ids, moment)

    def record_feedback(
        self,
        principal: Principal,
        *,
        helpful: Sequence[str] = (),
        unhelpful: Sequence[str] = (),
    ) -> None:
        """Count what was said of blocks."""
        good, bad = checks.ids(helpful, "helpful"), checks.ids(unhelpful, "unhelpful")
        if space := self._spaces.found(principal):
            with space.writing(principal) as reading:
                use.record_feedback(reading, good, bad)

    def record_source(self, principal: Principal, source: str) -> None:
        """Say where documents come from."""
        name = checks.name(source, "source")
        with self._spaces.made(principal).writing(principal) as reading:
            numbers.record_source(reading, name)

    def prepare(self, principal: Principal) -> None:
        """Do now what the first searches after an ingest would otherwise do."""
        space = self._spaces.get(principal)
        with space.reading(principal, None) as reading:
            space.searches.prepare(reading)
            is_spelt = vocabulary.is_whole(reading.connection)
        if not is_spelt and is_writable(space.path):
            with self._spaces.made(principal).writing(principal) as writing:
                vocabulary.complete(writing.connection)

    def check(self) -> tuple[str, ...]:
        """What is wrong, as one sentence each."""
        return tuple(problem for path in self._folder.databases for problem in problems(path))

    def vacuum(self) -> None:
        """Forget all but the newest versions, and give the space back."""
        for path in self._folder.databases:
            with closing(open_database(path)) as connection, told(str(path)):
                upkeep.vacuum(connection, path)
        self._spaces.let_go()  # they still hold embeddings whose file is gone

    def close(self) -> None:
        """Let go of files."""
        self._spaces.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self._folder.path)!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
