"""Operations: what a route does, with all that the description of the service says of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from pydantic import BaseModel
from starlette.responses import Response

from biblicus_context.service.callers import Caller
from biblicus_context.service.problems import Problem
from biblicus_context.service.scopes import KeyScope

Method: TypeAlias = Literal["GET", "POST", "PUT", "DELETE"]


@dataclass(frozen=True, slots=True)
class OperationCall:
    """One request, typed and let in."""

    caller: Caller
    path: Mapping[str, str] = field(default_factory=dict)
    query: Any = None
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes = b""
    """The body as it came."""


Work: TypeAlias = Callable[[OperationCall], Any]
Reply: TypeAlias = Callable[[OperationCall, Any], Awaitable[Response]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One method of one path."""

    name: str
    """What the description calls it, such as `assemble`."""
    method: Method
    path: str
    summary: str
    group: str
    work: Work
    """Runs in a thread of its own, unless the operation `is_quick`."""
    scope: KeyScope | None = None
    """What the caller's key has to allow; None: anybody may ask."""
    answer: Any = None
    """The type of what the work returns, which is written as JSON; None: there is no content."""
    body: type[BaseModel] | None = None
    query: type[BaseModel] | None = None
    media: str = "application/json"
    reply: Reply | None = None
    """Makes the response of what the work returned; it is awaited in the event loop."""
    shape: Callable[[Problem], Any] | None = None
    """How problems are written, where clients expect them in another form."""
    is_foreign: bool = False
    """Whether the answer, and its errors, are those of another server."""
    is_quick: bool = False
    """Whether the work only looks something up: no thread is needed."""
    is_write: bool = False
    """Whether an `Idempotency-Key` makes a second request return the answer of the first."""
    notes: str = ""
    problems: tuple[int, ...] = ()
    """Statuses of problems besides those that every operation may have."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Of a response: names, and what they are."""

    @property
    def status(self) -> int:
        """Of an answer."""
        return 200 if self.answer is not None or self.reply else 204

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names in the path."""
        return tuple(
            each[1:-1].partition(":")[0] for each in self.path.split("/") if each.startswith("{")
        )
