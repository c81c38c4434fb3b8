"""Spans of what takes time: calls of retrievers, and of embedders. Without a tracer they cost nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import Any, Final, TypeAlias

Tracing: TypeAlias = Callable[[str, Mapping[str, Any]], AbstractContextManager[object]]
"""Makes a span of a name and its attributes, which lasts as long as the block."""

_TRACING: Final = ContextVar[Tracing | None]("what makes spans", default=None)
_NOTHING: Final = nullcontext()


def span(name: str, attributes: Mapping[str, Any]) -> AbstractContextManager[object]:
    """A span for the block inside; nothing where nobody traces."""
    tracing = _TRACING.get()
    return _NOTHING if tracing is None else tracing(name, attributes)


@contextmanager
def traced_as(tracing: Tracing, name: str, attributes: Mapping[str, Any]) -> Iterator[None]:
    """A span by a tracer, which makes those inside it, too."""
    with traced(tracing), tracing(name, attributes):
        yield


@contextmanager
def traced(tracing: Tracing) -> Iterator[None]:
    """What runs inside, also in threads and tasks that it starts, makes its spans by this.

    >>> spans = []
    >>> def tracing(name, attributes):
    ...     spans.append(name)
    ...     return nullcontext()
    >>> with traced(tracing), span("retrieve", {}):
    ...     spans
    ['retrieve']
    """
    token = _TRACING.set(tracing)
    try:
        yield
    finally:
        _TRACING.reset(token)
