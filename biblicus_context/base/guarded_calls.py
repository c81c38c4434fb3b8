"""Calls that return their failure: the log explains it, and the caller is not shown the inside."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import TypeAlias, TypeVar

from biblicus_context.base.doors import door
from biblicus_context.base.outcomes import Err, Failure, Ok, Result
from biblicus_context.base.search_log import Searched, SearchLog
from biblicus_context.errors import ContextError, UnknownNameError

V = TypeVar("V")
Failures: TypeAlias = Mapping[type[Exception] | tuple[type[Exception], ...], Failure]
"""What an error becomes, by its type; the first entry that it is of decides."""


@door
class GuardedCalls:
    """Runs searches of a service: each is counted, and its error becomes a failure and a line of the log.

    A failure without a message takes the message of the error: write none only for errors about the
    arguments of a call, as messages of others may show the inside.

    >>> import asyncio
    >>> calls = GuardedCalls({LookupError: Failure("not_found", "there is no such note")})
    >>> async def note(): return {}["x"], 1
    >>> asyncio.run(calls.run(note, query="x", workspace="acme")).error.message
    'there is no such note'
    """

    def __init__(
        self,
        failures: Failures,
        *,
        log: SearchLog | None = None,
        logger: logging.Logger | None = None,
    ) -> None:
        self._failures = failures
        self._log = log or SearchLog()
        self._logger = logger or logging.getLogger(__name__)

    async def run(
        self,
        call: Callable[[], Awaitable[tuple[V, int]]],
        *,
        query: object,
        workspace: object,
    ) -> Result[V]:
        """The outcome of a call that returns its value, and the number of results in it.

        An error of no type in `failures` is raised. Query and workspace are logged as they were passed.
        """
        began, found = time.perf_counter(), None
        try:
            value, found = await call()
            return Ok(value)
        except Exception as error:  # those that `failures` does not name are raised again
            failure = self._failure(error)
            if failure is None:
                raise
            return Err(self._logged(failure, error, query, workspace))
        finally:
            if isinstance(workspace, str):  # 5 is no tenant, and "5" may be somebody's
                asked = query if isinstance(query, str) else type(query).__name__
                self._log.add(workspace, Searched(asked, time.perf_counter() - began, found))

    def _failure(self, error: Exception) -> Failure | None:
        kinds = self._failures.items()
        return next((failure for kind, failure in kinds if isinstance(error, kind)), None)

    def _logged(
        self, failure: Failure, error: Exception, query: object, workspace: object
    ) -> Failure:
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
