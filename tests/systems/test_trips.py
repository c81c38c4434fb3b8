"""How often a search, and a context of each system, waits for a store on another machine."""

from __future__ import annotations

from pathlib import Path

from benchmarks.store_calls import from_afar, traces, trips

MOST = {"search": 2, "memory": 6, "prime": 9, "workspace": 10, "learning": 3}
"""Three of prime's decide whether any file is relevant, before its packs are asked for."""


def test_contexts_wait_for_a_server_a_few_times(tmp_path: Path) -> None:
    """Whatever their packs, rankings and steps want at once travels together.

    Packs that need another page, or a system that builds again with a smaller budget, ask again.
    """
    with from_afar() as server:
        made = {name: trips(trace, server) for name, trace in traces(tmp_path, 240)}
    assert made.keys() == MOST.keys()
    assert {name: each for name, each in made.items() if len(each) > MOST[name]} == {}
