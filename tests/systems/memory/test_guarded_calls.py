"""Calls return their failures, say nothing of the inside, and are counted."""

from __future__ import annotations

import asyncio
import logging
import re
import time

import pytest

from biblicus_context import InputError, UnknownNameError
from biblicus_context.base import best_effort
from biblicus_context.systems.memory import (
    Err,
    Failure,
    GuardedCalls,
    LoggedSearch,
    Ok,
    Result,
    SearchLog,
)

FAILURES = {
    UnknownNameError: Failure("not_found"),
    (InputError, TypeError): Failure("bad_call"),
    OSError: Failure("storage_error", "the storage failed"),
}


def called(outcome: object, log: SearchLog | None = None) -> Result[object]:
    async def call() -> tuple[object, int]:
        if isinstance(outcome, Exception):
            raise outcome
        return outcome, 3

    calls = GuardedCalls(FAILURES, log=log)
    return asyncio.run(calls.run(call, query="tea", workspace="acme"))


def test_a_value_is_returned_and_its_results_are_counted():
    log = SearchLog()
    assert called("a note", log) == Ok("a note")
    assert log.analytics("acme").searches == 1
    assert log.analytics("acme").without_results == ()


def test_the_type_of_an_error_decides_what_it_becomes():
    unknown = UnknownNameError("note", "teh", ["tea"])
    assert called(unknown) == Err(Failure("not_found", str(unknown), ("tea",)))
    mistake = InputError("unknown option", found="limt", valid=["limit"])
    assert called(mistake) == Err(Failure("bad_call", str(mistake), ("limit",)))
    assert called(TypeError("no")) == Err(Failure("bad_call", "no"))


def test_a_call_that_returns_something_else_is_named():
    async def nothing() -> None:
        return None

    calls = GuardedCalls({})
    for wrong in (lambda: None, nothing, dict):
        with pytest.raises(InputError, match=r"^(what call returns|call): "):
            asyncio.run(calls.run(wrong, query="tea", workspace="acme"))  # type: ignore[arg-type]


def test_a_failure_with_a_message_hides_the_error_which_is_logged(
    caplog: pytest.LogCaptureFixture,
):
    log = SearchLog()
    with caplog.at_level(logging.ERROR):
        assert called(FileNotFoundError("/srv/secret"), log) == Err(FAILURES[OSError])
    (record,) = caplog.records
    assert re.fullmatch(
        r"storage_error: query 'tea' in workspace 'acme': .*FileNotFoundError "
        r"\(test_guarded_calls.py, line \d+\)",
        record.getMessage(),
    )
    assert "secret" not in caplog.text
    assert log.analytics("acme").failures == 1


def test_a_log_that_fails_or_hangs_neither_stops_nor_delays_a_call(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(best_effort, "PATIENCE", 0.1)

    class Full(SearchLog):
        def add(self, workspace: str, searched: LoggedSearch) -> None:
            raise OSError("disk full: /srv/secret")

    class Hanging(SearchLog):
        def add(self, workspace: str, searched: LoggedSearch) -> None:
            time.sleep(1)

    for log in (Full(), Hanging()):
        began = time.perf_counter()
        calls = GuardedCalls(FAILURES, log=log)
        for _ in range(20):
            assert asyncio.run(calls.run(note, query="tea", workspace="acme")) == Ok("a note")
        assert time.perf_counter() - began < 0.8
    said = [each.getMessage() for each in caplog.records]
    assert [each.partition(" failed")[0] for each in said] == [
        "the log of searches Full",
        "the log of searches Hanging",
    ]
    assert "secret" not in caplog.text


async def note() -> tuple[str, int]:
    return "a note", 1


def test_an_error_of_no_type_is_raised():
    with pytest.raises(KeyError):
        called(KeyError("x"))


@pytest.mark.parametrize("workspace", [5, None, ("acme",)])
def test_a_workspace_that_is_not_a_text_is_in_nobodys_analytics(workspace: object):
    log = SearchLog()

    async def call() -> tuple[str, int]:
        return "a note", 1

    calls = GuardedCalls(FAILURES, log=log)
    asyncio.run(calls.run(call, query="tea", workspace=workspace))
    assert log.analytics("acme").searches == 0
    assert log.analytics(str(workspace)).searches == 0
