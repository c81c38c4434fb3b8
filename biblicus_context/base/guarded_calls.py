"""Calls that return their failure: the log explains it, and the caller is not shown the inside."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import TypeVar

from biblicus_context.base.outcomes import Err, Failure, Ok, Result
from biblicus_context.base.search_log import Searched, SearchLog
from biblicus_context.errors import ContextError, UnknownNameError

V = TypeVar("V")


class GuardedCalls:
    """Runs searches of a service: each is counted, and its error becomes a failure and a line of the log.

    `failures` has a failure for each type of error; the first one that an error is of decides. A
    failure without a message takes the message of the error: write none only for errors about the
    arguments of a call, as messages of others may show the inside.

    >>> import asyncio
    >>> calls = GuardedCalls({LookupError: Failure("not_found", "there is no such note")})
    >>> async def note(): return {}["x"]
    >>> asyncio.run(calls.run(note, query="x", workspace="acme")).error.message
    'there is no such note'
    """

    def __init__(
        self,
        failures: Mapping[type[Exception], Failure],
        *,
        log: SearchLog | None = None,
        logger: logging.Logger | None = None,
    ) -> None:
        self._failures = failures
        self._log = log or SearchLog()
        self._logger = logger or logging.getLogger(__name__)

    async def run(
        self,
        call: Callable[[], Awaitable[V]],
        *,
        query: str,
        workspace: str,
        count: Callable[[V], int] = lambda _: 1,
    ) -> Result[V]:
        """The outcome of a call; `count` is the number of its results. An error of no type is raised."""
        began, found = time.perf_counter(), None
        try:
            value = await call()
            found = count(value)
            return Ok(value)
        except tuple(self._failures) as error:
            return Err(self._logged(error, query, workspace))
        finally:
            self._log.add(str(workspace), Searched(str(query), time.perf_counter() - began, found))

    def _logged(self, error: Exception, query: str, workspace: str) -> Failure:
        failure = next(each for kind, each in self._failures.items() if isinstance(error, kind))
        is_of_arguments = not failure.message
        self._logger.error(
            "%s: query %r in workspace %r: %s",
            failure.type,
            query,
            workspace,
            error if is_of_arguments else failure.message,
            exc_info=None if is_of_arguments else error,
        )
        if is_of_arguments:
            return replace(failure, message=str(error), available=_available(error))
        return failure


def _available(error: Exception) -> tuple[str, ...]:
    """The names of which one should have been passed."""
    if isinstance(error, UnknownNameError):
        return error.known
    return error.valid if isinstance(error, ContextError) else ()
