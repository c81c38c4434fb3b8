"""Calls that return their failure: the log explains it, and the caller is not shown the inside."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TypeAlias, TypeVar

from biblicus_context.base import BestEffort, door, located_outline_of
from biblicus_context.errors import ContextError, InputError, UnknownNameError
from biblicus_context.systems.memory.outcomes import Err, Failure, Ok, Result
from biblicus_context.systems.memory.search_log import LoggedSearch, SearchLog

V = TypeVar("V")
T = TypeVar("T")
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
        # An empty log may be false.
        self._log = SearchLog() if log is None else log
        self._logger = logging.getLogger(__name__) if logger is None else logger
        is_own = type(self._log) is SearchLog
        self._noting = BestEffort("log of searches", self._log, waits=not is_own, room="searches")
        is_standard = isinstance(self._logger, logging.Logger)
        self._saying = BestEffort("logger", self._logger, waits=not is_standard, room="searches")

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
            value, found = _checked(await _awaitable(call()))
            return Ok(value)
        except Exception as error:  # those that `failures` does not name are raised again
            failure = self._failure(error)
            if failure is None:
                raise
            await self._say(failure, error, query, workspace)
            return Err(_shown(failure, error))
        finally:
            seconds = time.perf_counter() - began
            noted = partial(self._note, query, workspace, seconds, found)
            await self._noting.acall(noted, otherwise=None)

    def _failure(self, error: Exception) -> Failure | None:
        kinds = self._failures.items()
        return next((failure for kind, failure in kinds if isinstance(error, kind)), None)

    def _note(self, query: object, workspace: object, seconds: float, found: int | None) -> None:
        if isinstance(workspace, str):  # 5 is no tenant, and "5" may be somebody's
            asked = query if isinstance(query, str) else type(query).__name__
            self._log.add(workspace, LoggedSearch(asked, seconds, found))

    async def _say(
        self, failure: Failure, error: Exception, query: object, workspace: object
    ) -> None:
        # No traceback: it ends with the text of the error, which may hold a key.
        said = f"{failure.message}: {located_outline_of(error)}" if failure.message else str(error)
        line = "%s: query %.200r in workspace %.200r: %s", failure.type, query, workspace, said
        await self._saying.acall(partial(self._logger.error, *line), otherwise=None)


def _awaitable(made: Awaitable[T]) -> Awaitable[T]:
    if not isinstance(made, Awaitable):
        problem = "an async function is expected"
        raise InputError(problem, place="call", found=f"a function that returned {made!r:.100}")
    return made


def _checked(pair: tuple[V, int]) -> tuple[V, int]:
    match pair:
        case (_, int()):
            return pair
    raise InputError(
        "a value and the number of results in it are expected",
        place="what call returns",
        found=pair,
    )


def _shown(failure: Failure, error: Exception) -> Failure:
    if failure.message:
        return failure
    return replace(failure, message=str(error), available=_available(error))


def _available(error: Exception) -> tuple[str, ...]:
    """The names of which one should have been passed."""
    if isinstance(error, UnknownNameError):
        return error.known
    return error.valid if isinstance(error, ContextError) else ()
