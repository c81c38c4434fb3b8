"""What was searched, from a log that does not grow."""

from __future__ import annotations

import json
from collections import Counter, OrderedDict, deque
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Final, NamedTuple, Self

from biblicus_context.base import child_lock, door, path_of

_SEARCHES: Final = 1000
_WORKSPACES: Final = 1000
_LARGEST: Final = 2_000_000
"""Bytes of a file from which on only the last searches are kept."""
_LONGEST: Final = 500
"""Characters of a query that are remembered."""


class LoggedSearch(NamedTuple):
    """One search."""

    query: str
    seconds: float
    results: int | None
    """None if it failed."""


@dataclass(frozen=True, slots=True)
class SearchAnalytics:
    """The last searches of a workspace, in figures."""

    searches: int
    failures: int
    p50_seconds: float
    p95_seconds: float
    without_results: tuple[tuple[str, int], ...]
    """The most frequent queries that found nothing, with their numbers."""
    frequent: tuple[tuple[str, int], ...]
    """The most frequent queries, with their numbers."""


@door
class SearchLog:
    """The last thousand searches of each workspace, for the thousand workspaces that searched last.

    >>> log = SearchLog()
    >>> log.add("acme", LoggedSearch("When do we ship?", 0.002, 0))
    >>> log.analytics("acme").without_results
    (('When do we ship?', 1),)
    """

    def __init__(self, folder: Path | None = None) -> None:
        """With a folder they outlive the process: see `at`."""
        self._of: OrderedDict[str, deque[LoggedSearch]] = OrderedDict()
        self._lock = child_lock()
        self._folder = folder

    @classmethod
    def at(cls, folder: str | Path) -> Self:
        """A log that outlives the process: a file of JSON lines for each workspace in a folder.

        Several processes may write it. It holds queries as they were asked, until `forget`.
        """
        place = path_of(folder, "folder")
        place.mkdir(parents=True, exist_ok=True)
        return cls(place)

    def forget(self, workspace: str) -> None:
        """Forget the searches of a workspace, in memory and in its file."""
        with self._lock:
            self._of.pop(workspace, None)
            if self._folder is not None:
                self._file(workspace).unlink(missing_ok=True)

    def add(self, workspace: str, searched: LoggedSearch) -> None:
        """Remember a search, with the beginning of its query."""
        searched = searched._replace(query=searched.query[:_LONGEST])
        with self._lock:
            self._known(workspace).append(searched)
            self._of.move_to_end(workspace)
            if len(self._of) > _WORKSPACES:
                self._of.popitem(last=False)
            if self._folder is not None:
                self._write(workspace, searched)

    def analytics(self, workspace: str, most: int = 10) -> SearchAnalytics:
        """The figures of one workspace, with `most` queries in each list."""
        with self._lock:
            if self._folder is not None:  # other processes may have searched since
                self._of.pop(workspace, None)
                known = [*self._known(workspace)]
            else:
                known = [*self._of.get(workspace, ())]
        times = sorted(each.seconds for each in known) or [0.0]
        nothing = Counter(each.query for each in known if each.results == 0)
        return SearchAnalytics(
            searches=len(known),
            failures=sum(each.results is None for each in known),
            p50_seconds=times[len(times) // 2],
            p95_seconds=times[len(times) * 95 // 100],
            without_results=tuple(nothing.most_common(most)),
            frequent=tuple(Counter(each.query for each in known).most_common(most)),
        )

    def _known(self, workspace: str) -> deque[LoggedSearch]:
        if workspace not in self._of:
            lines = self._lines(workspace) if self._folder is not None else ()
            self._of[workspace] = deque(lines, maxlen=_SEARCHES)
        return self._of[workspace]

    def _lines(self, workspace: str) -> list[LoggedSearch]:
        file, found = self._file(workspace), []
        for line in file.read_text("utf-8").splitlines() if file.is_file() else ():
            with suppress(ValueError, TypeError):  # half of a line, after a crash
                found.append(LoggedSearch(*json.loads(line)))
        return found[-_SEARCHES:]

    def _write(self, workspace: str, searched: LoggedSearch) -> None:
        file = self._file(workspace)
        with file.open("a", encoding="utf-8") as log:
            log.write(json.dumps([*searched]) + "\n")
        if file.stat().st_size > _LARGEST:
            kept = "".join(json.dumps([*each]) + "\n" for each in self._lines(workspace))
            new = file.with_suffix(".new")
            new.write_text(kept, "utf-8")
            new.replace(file)

    def _file(self, workspace: str) -> Path:
        assert self._folder is not None
        name = blake2b(workspace.encode(errors="replace"), digest_size=16).hexdigest()
        return self._folder / f"{name}.jsonl"
