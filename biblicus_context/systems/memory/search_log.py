"""What was searched, from a log that does not grow."""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from dataclasses import dataclass
from typing import Final, NamedTuple

from biblicus_context.base import child_lock, door

_SEARCHES: Final = 1000
_WORKSPACES: Final = 1000
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

    def __init__(self) -> None:
        self._of: OrderedDict[str, deque[LoggedSearch]] = OrderedDict()
        self._lock = child_lock()

    def add(self, workspace: str, searched: LoggedSearch) -> None:
        """Remember a search, with the beginning of its query."""
        searched = searched._replace(query=searched.query[:_LONGEST])
        with self._lock:
            self._of.setdefault(workspace, deque(maxlen=_SEARCHES)).append(searched)
            self._of.move_to_end(workspace)
            if len(self._of) > _WORKSPACES:
                self._of.popitem(last=False)

    def analytics(self, workspace: str, most: int = 10) -> SearchAnalytics:
        """The figures of one workspace, with `most` queries in each list."""
        with self._lock:
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
