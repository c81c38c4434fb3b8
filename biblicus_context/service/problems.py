"""Errors as answers: `application/problem+json` (RFC 9457) with place, found, valid and fix."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from biblicus_context.base import invalid_values
from biblicus_context.corpora import NotIndexedError
from biblicus_context.errors import (
    BudgetError,
    CompactorError,
    ContextError,
    EmbedderError,
    FormatError,
    InputError,
    MissingExtraError,
    PlanError,
    RetrieverError,
    TemplateError,
    UnknownNameError,
    shown,
)
from biblicus_context.stores import (
    StillReadError,
    StoreError,
    VersionConflictError,
    VersionGoneError,
)

MEDIA: Final = "application/problem+json"
_MOST: Final = 20
"""Mistakes of a body that one answer lists."""
_STATUSES: Final[tuple[tuple[type[Exception], HTTPStatus], ...]] = (
    (BudgetError, HTTPStatus.UNPROCESSABLE_ENTITY),
    (VersionGoneError, HTTPStatus.CONFLICT),
    (FormatError, HTTPStatus.UNPROCESSABLE_ENTITY),
    (InputError, HTTPStatus.UNPROCESSABLE_ENTITY),
    (TemplateError, HTTPStatus.UNPROCESSABLE_ENTITY),
    (UnknownNameError, HTTPStatus.UNPROCESSABLE_ENTITY),
    (RetrieverError, HTTPStatus.BAD_GATEWAY),
    (EmbedderError, HTTPStatus.BAD_GATEWAY),
    (CompactorError, HTTPStatus.BAD_GATEWAY),
    (NotIndexedError, HTTPStatus.SERVICE_UNAVAILABLE),
    (VersionConflictError, HTTPStatus.CONFLICT),
    (StillReadError, HTTPStatus.CONFLICT),
    (StoreError, HTTPStatus.SERVICE_UNAVAILABLE),
    (MissingExtraError, HTTPStatus.SERVICE_UNAVAILABLE),
    (PlanError, HTTPStatus.UNPROCESSABLE_ENTITY),
    (ContextError, HTTPStatus.UNPROCESSABLE_ENTITY),
)


class Mistake(BaseModel):
    """One value that does not fit."""

    place: str = Field(description="Where in the request it is, such as `body.inputs.question`.")
    problem: str
    found: str | None = None


class Problem(BaseModel):
    """Why there is no answer, and what to do."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=False)

    type: str = Field(description="A stable name of the problem.")
    title: str = Field(description="The problem in a few words.")
    status: int
    detail: str = Field(description="All of it in one sentence.")
    place: str | None = None
    found: str | None = None
    valid: list[str] | None = None
    fix: str | None = None
    mistakes: list[Mistake] | None = Field(
        default=None, description="Of a request that does not fit: each value."
    )
    budget: int | None = Field(default=None, description="Of a budget error: the tokens allowed.")
    needed: int | None = Field(default=None, description="The tokens that cannot shrink.")
    parts: dict[str, int] | None = Field(default=None, description="What they are made of.")
    request_id: str | None = Field(default=None, description="As the log names this request.")


class ProblemError(Exception):
    """Ends a request with a problem."""

    def __init__(self, problem: Problem, headers: Mapping[str, str] | None = None) -> None:
        self.problem = problem
        self.headers = dict(headers or {})
        super().__init__(problem.title)


def refusal(
    status: int,
    title: str,
    *,
    name: str | None = None,
    place: str | None = None,
    found: object = None,
    valid: Iterable[str] = (),
    fix: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> ProblemError:
    """A problem of the request itself; `name` is its stable name where the title has words of the request."""
    error = ContextError(title, place=place, found=found, valid=valid, fix=fix)
    return ProblemError(_of(error, HTTPStatus(status), type_=_named(name or title)), headers)


def invalid(error: ValidationError, place: str) -> ProblemError:
    """A body, or a query, that does not fit its model."""
    mistakes = [
        Mistake(
            place=".".join(filter(None, (place, each.place))),
            problem=each.problem,
            found=None if each.is_missing else shown(each.value),
        )
        for each in invalid_values(error)[:_MOST]
    ]
    first = mistakes[0]
    is_json = error.errors(include_url=False, include_input=False)[0]["type"] == "json_invalid"
    status = HTTPStatus.BAD_REQUEST if is_json else HTTPStatus.UNPROCESSABLE_ENTITY
    problem = Problem(
        type=_type("not-json" if is_json else "invalid-request"),
        title="this is not JSON" if is_json else "the request does not fit",
        status=status,
        detail=f"{first.place}: {first.problem}",
        place=first.place,
        found=None if is_json else first.found,
        mistakes=None if is_json else mistakes,
    )
    return ProblemError(problem)


def problem_of(error: Exception) -> Problem:
    """An error as an answer; what went wrong inside is in the log only."""
    if isinstance(error, ContextError):
        # A retriever that was asked for what is not there failed for what the request says.
        cause = error.__cause__ if isinstance(error, RetrieverError) else None
        deciding = cause if isinstance(cause, ContextError) else error
        status = next(status for kind, status in _STATUSES if isinstance(deciding, kind))
        return _of(error, status)
    return Problem(
        type=_type("internal-error"),
        title="this failed, and it is not the request's fault",
        status=HTTPStatus.INTERNAL_SERVER_ERROR,
        detail="The log of the server has what went wrong, under the id of this request.",
    )


def _of(error: ContextError, status: HTTPStatus, type_: str | None = None) -> Problem:
    own: dict[str, Any] = {}
    if isinstance(error, BudgetError):
        own = {"budget": error.budget, "needed": error.needed, "parts": error.parts or None}
    said: dict[str, Any] = {
        "title": error.problem,
        "detail": str(error),
        "place": error.place,
        "found": None if error.found is None else shown(error.found),
        "valid": [*error.valid] or None,
        "fix": error.fix,
    }
    name = type_ or re.sub(r"(?<!^)(?=[A-Z])", "-", type(error).__name__).lower()
    return Problem(type=_type(name), status=status, **own, **said)


def _named(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def _type(name: str) -> str:
    return f"urn:biblicus-context:problem:{name}"
