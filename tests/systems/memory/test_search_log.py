"""A log of searches has figures for each workspace, and does not grow."""

from __future__ import annotations

from pathlib import Path

from biblicus_context.systems.memory import LoggedSearch, SearchLog


def test_figures_are_of_one_workspace():
    log = SearchLog()
    for number in range(1, 101):
        log.add("acme", LoggedSearch(f"q{number % 3}", number / 100, number % 2))
    log.add("globex", LoggedSearch("q", 9.0, None))
    figures = log.analytics("acme", most=2)
    assert (figures.searches, figures.failures) == (100, 0)
    assert (figures.p50_seconds, figures.p95_seconds) == (0.51, 0.96)
    assert figures.frequent == (("q1", 34), ("q2", 33))
    assert sum(number for _, number in log.analytics("acme").without_results) == 50
    assert log.analytics("globex").failures == 1
    assert log.analytics("unknown").p95_seconds == 0.0


def test_the_oldest_searches_and_workspaces_are_forgotten():
    log = SearchLog()
    for number in range(1_500):
        log.add("busy", LoggedSearch(str(number), 0.1, 1))
        log.add(f"space {number}", LoggedSearch("q", 0.1, 1))
    assert log.analytics("busy").searches == 1_000
    assert log.analytics("space 0").searches == 0
    assert log.analytics("space 1499").searches == 1


def test_a_log_at_a_folder_outlives_the_process_and_forgets(tmp_path: Path):
    first, second = SearchLog.at(tmp_path / "log"), SearchLog.at(tmp_path / "log")
    first.add("acme", LoggedSearch("When do we ship?", 0.002, 0))
    second.add("acme", LoggedSearch("ship", 0.004, 3))
    second.add("globex", LoggedSearch("lamp", 0.004, None))
    for log in (first, second, SearchLog.at(tmp_path / "log")):
        known = log.analytics("acme")
        assert known.searches == 2
        assert known.without_results == (("When do we ship?", 1),)
        assert log.analytics("globex").failures == 1
    first.forget("acme")
    assert second.analytics("acme").searches == 0
    assert "ship" not in "".join(e.read_text("utf-8") for e in (tmp_path / "log").iterdir())
