"""Spans and attributes for OpenTelemetry: the one place that loads its API."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from biblicus_context.assembly import Receipt
from biblicus_context.base import door
from biblicus_context.errors import MissingExtraError

_SCOPE: Final = "biblicus_context"
_NANO: Final = 1_000_000_000
_NAMES: Final[Mapping[str, str]] = {
    "model": "gen_ai.request.model",
    "retriever": "gen_ai.data_source.id",
}
"""Attributes that the conventions of OpenTelemetry name; others are below `biblicus_context`."""
_OPERATIONS: Final = {"embed": "embeddings", "retrieve": "retrieval"}


@door
class OpenTelemetry:
    """An observer that makes spans: of an assembly, its steps, its retrievers and their embedders.

    Pass it as `observers=[OpenTelemetry()]`. Names, models, counts and seconds are in the spans, and
    no text: neither queries nor evidence. The provider of spans is the global one, or the one passed.
    """

    def __init__(self, tracer_provider: Any = None) -> None:
        try:
            from opentelemetry import propagate, trace
        except ImportError:
            raise MissingExtraError("opentelemetry-api", "telemetry") from None
        self._trace, self._propagate = trace, propagate
        self._tracer = trace.get_tracer(_SCOPE, tracer_provider=tracer_provider)

    @contextmanager
    def span(self, name: str, attributes: Mapping[str, Any]) -> Iterator[Any]:
        """A span for the block inside; an error is its class, as its text may hold anything."""
        known = {_named(key): value for key, value in attributes.items() if value is not None}
        if name in _OPERATIONS:
            known["gen_ai.operation.name"] = _OPERATIONS[name]
        what = attributes.get("retriever") or attributes.get("model") or attributes.get("context")
        titled = f"{name} {what}" if what else name
        with self._tracer.start_as_current_span(
            titled, attributes=known, record_exception=False, set_status_on_exception=False
        ) as made:
            try:
                yield made
            except BaseException as error:
                self._failed(made, error)
                raise

    @contextmanager
    def request(self, name: str, method: str, headers: Mapping[str, str]) -> Iterator[Any]:
        """A span of a request, below the one that its `traceparent` names."""
        context = self._propagate.extract(dict(headers))
        own = {"http.request.method": method, "biblicus_context.operation": name}
        with self._tracer.start_as_current_span(
            f"{method} {name}",
            context,
            kind=self._trace.SpanKind.SERVER,
            attributes=own,
            record_exception=False,
            set_status_on_exception=False,
        ) as made:
            try:
                yield made
            except BaseException as error:
                self._failed(made, error)
                raise

    def headers(self) -> dict[str, str]:
        """What a request to another server has, so that its spans are below this one."""
        carrier: dict[str, str] = {}
        self._propagate.inject(carrier)
        return carrier

    def __call__(self, receipt: Receipt) -> None:
        """Add the figures of a receipt to the span of its assembly, and a span for each step."""
        current = self._trace.get_current_span()
        current.set_attributes(
            {
                "biblicus_context.context": receipt.context,
                "gen_ai.usage.input_tokens": receipt.used,
                "biblicus_context.budget": receipt.budget if receipt.budget is not None else -1,
                "biblicus_context.counter": receipt.counter,
                "biblicus_context.parts": len(receipt.parts),
                "biblicus_context.complete": receipt.is_complete,
            }
        )
        if receipt.model is not None:
            current.set_attribute("gen_ai.request.model", receipt.model)
        self._steps(receipt)

    def _steps(self, receipt: Receipt) -> None:
        """Steps have ended when the receipt is there: their spans are written with their times."""
        end = time.time_ns()
        at = end - sum(int(step.seconds * _NANO) for step in receipt.steps)
        for step in receipt.steps:
            made = self._tracer.start_span(f"step {step.name}", start_time=at)
            at += int(step.seconds * _NANO)
            made.end(at)

    def _failed(self, made: Any, error: BaseException) -> None:
        made.set_attribute("error.type", type(error).__name__)
        made.set_status(self._trace.Status(self._trace.StatusCode.ERROR))


def _named(key: str) -> str:
    return _NAMES.get(key, f"biblicus_context.{key}")
