"""Turns what a call raises into a failure, which the log explains and the caller is not shown."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, Final, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from biblicus_context import BudgetError, InputError, Searched, SearchLog, StoreError
from biblicus_context.systems.results import Err, Failure, FailureType, Ok, Result

V = TypeVar("V")
M = TypeVar("M", bound=BaseModel)

_MESSAGES: Final[Mapping[FailureType, str]] = {
    "embedding_error": "the query could not be embedded",
    "search_error": "the search failed",
    "storage_error": "the storage failed",
}


class StorageError(Exception):
    """Raised by storages; its message is logged, and not returned."""


class CallError(Exception):
    """Ends a call with a failure; its cause is logged."""

    def __init__(self, type_: FailureType, message: str, available: Iterable[str] = ()) -> None:
        self.failure = Failure(type_, message, tuple(available))


async def stage(type_: FailureType, work: Awaitable[V]) -> V:
    """The result of a stage; an error becomes a failure of this type, or of a more precise one."""
    try:
        return await work
    except CallError:
        raise
    except (InputError, BudgetError) as error:
        raise CallError("validation_error", str(error)) from error
    except Exception as error:  # a storage or an embedder of the caller's may raise anything
        if type_ == "search_error" and isinstance(error, (StorageError, StoreError, OSError)):
            type_ = "storage_error"
        raise CallError(type_, _MESSAGES[type_]) from error


def require_text(**values: object) -> None:
    """Refuse what is not a text, or blank."""
    for name, value in values.items():
        if not isinstance(value, str) or not value.strip():
            raise CallError("validation_error", f"{name} must be text that is not empty")


def options_of(
    model: type[M], given: BaseModel | Mapping[str, Any] | None, more: Mapping[str, Any]
) -> M:
    """The options of a call; single ones take precedence over those that come together."""
    together = given.model_dump(exclude_unset=True) if isinstance(given, BaseModel) else given
    try:
        return model.model_validate({**(together or {}), **more})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise CallError("validation_error", f"{place}: {first['msg']}") from None


class Answers(Generic[V]):
    """Runs calls, logs their failures with the query, and remembers all of them."""

    def __init__(self, logger: logging.Logger, log: SearchLog) -> None:
        self._logger = logger
        self._log = log

    async def to(
        self, query: str, workspace: str, work: Callable[[], Awaitable[tuple[V, int]]]
    ) -> Result[V]:
        """The answer to one query; the number is that of its results."""
        began, number = time.perf_counter(), None
        query, workspace = str(query), str(workspace)
        try:
            value, number = await work()
            return Ok(value)
        except CallError as failed:
            self._logger.error(
                "%s: query %r in workspace %r",
                failed.failure.type,
                query,
                workspace,
                exc_info=failed.__cause__,
            )
            return Err(failed.failure)
        finally:
            self._log.add(workspace, Searched(query, time.perf_counter() - began, number))
