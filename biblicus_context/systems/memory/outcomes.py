"""Outcomes: a value or a failure, so that a program can go on without what it asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Generic, Literal, Never, TypeAlias, TypeVar

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no value; what went wrong inside is in the log only."""

    type: str
    message: str = ""
    available: tuple[str, ...] = ()
    """The names that exist, where one was not found."""


@dataclass(frozen=True, slots=True)
class Ok(Generic[V]):
    """A value; it is true, whatever the value is.

    >>> Ok(0).ok, bool(Ok(0)), Ok(0).unwrap()
    (True, True, 0)
    """

    value: V
    ok: ClassVar[Literal[True]] = True

    def __bool__(self) -> Literal[True]:  # so that `if result:` tells type checkers which one it is
        return True

    def unwrap(self) -> V:
        """The value."""
        return self.value


@dataclass(frozen=True, slots=True)
class Err:
    """A failure; it is false.

    >>> Err(Failure("search_error")).ok, bool(Err(Failure("search_error")))
    (False, False)
    """

    error: Failure
    ok: ClassVar[Literal[False]] = False

    def __bool__(self) -> Literal[False]:
        return False

    def unwrap(self) -> Never:
        """Raise the failure as a ValueError."""
        raise ValueError(f"{self.error.type}: {self.error.message}")


Result: TypeAlias = Ok[V] | Err
"""What a call returns that does not raise."""
