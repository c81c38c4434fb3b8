"""How often a search, and a context of each system, waits for a store on another machine, and what it asks a file."""

from __future__ import annotations

from pathlib import Path

from benchmarks.store_calls import counted, from_afar, traces, trips

TRIPS = {"search": 2, "memory": 4, "prime": 8, "workspace": 8, "learning": 2}
CALLS = {
    "search": (3, 4),
    "memory": (15, 11),
    "prime": (42, 40),
    "workspace": (32, 25),
    "learning": (45, 35),
}
"""Of a view, and of SQLite below it: what was read before, or is in memory, is not read again.

Prime and the workspace ask eight to sixteen packs, and learning five corpora. In a file a read takes
microseconds, so that nothing is won by joining theirs.
"""


PYTHON = 1_200
"""Calls of Python functions in a hybrid search of five words; there were 1,800."""


def test_contexts_wait_for_a_server_a_few_times(tmp_path: Path) -> None:
    """Whatever their packs, rankings and steps want at once travels together.

    Packs that need another page, or a system that builds again with a smaller budget, ask again.
    """
    with from_afar() as server:
        made = {name: trips(trace, server) for name, trace in traces(tmp_path, 240)}
    assert made.keys() == TRIPS.keys()
    assert {name: each for name, each in made.items() if len(each) > TRIPS[name]} == {}


def test_contexts_read_a_file_as_rarely_as_they_can(tmp_path: Path) -> None:
    """What is judged, ranked, shown and compared of one search is named, read and compared at once."""
    made = {name: counted(trace) for name, trace in traces(tmp_path, 120)}
    assert made.keys() == CALLS.keys()
    for name, (calls, _) in made.items():
        views = sum(n for (kind, _), n in calls.items() if kind == "view")
        reads = sum(n for (kind, _), n in calls.items() if kind == "read")
        assert (name, views, reads) == (
            name,
            min(views, CALLS[name][0]),
            min(reads, CALLS[name][1]),
        )
    assert made["search"][1] <= PYTHON
