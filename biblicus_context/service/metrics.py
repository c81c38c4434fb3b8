"""Figures for Prometheus: the one place that loads its client. No label names a tenant."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

from biblicus_context.assembly import Receipt
from biblicus_context.shared_state import LOOKUPS
from biblicus_context.systems.prime import ContextMetrics

MEDIA: Final = "text/plain; version=0.0.4; charset=utf-8"
SHARED: Final = "PROMETHEUS_MULTIPROC_DIR"
"""The environment variable with the folder in which several workers keep their figures."""
_PREFIX: Final = "biblicus_context"
_LIVE: Final = re.compile(r"gauge_live[a-z]*_(\d+)\.db")
_SECONDS: Final = (
    0.001,
    0.0025,
    0.005,
    0.01,
    0.025,
    0.05,
    0.1,
    0.25,
    0.5,
    1.0,
    2.5,
    5.0,
    10.0,
    30.0,
)
_TOKENS: Final = (100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000)


class ServiceMetrics:
    """What a service did, in base units: seconds, tokens, ratios."""

    def __init__(self, in_flight: Callable[[], int], is_stale: Callable[[], bool]) -> None:
        self._registry = CollectorRegistry()
        own: dict[str, Any] = {"registry": self._registry}
        seconds: dict[str, Any] = {"buckets": _SECONDS, **own}
        self._requests = Counter(
            f"{_PREFIX}_http_requests",
            "Requests that were answered.",
            ["operation", "status"],
            **own,
        )
        self._request_seconds = Histogram(
            f"{_PREFIX}_http_request_duration_seconds",
            "Time to an answer.",
            ["operation"],
            **seconds,
        )
        self._failures = Counter(
            f"{_PREFIX}_authentication_failures", "Requests with a key that is not valid.", **own
        )
        self._assemblies = Counter(
            f"{_PREFIX}_assemblies", "Contexts that were assembled.", ["context", "complete"], **own
        )
        self._tokens = Histogram(
            f"{_PREFIX}_assembly_tokens", "Tokens of assembled contexts.", ["context"],
            buckets=_TOKENS, **own,
        )  # fmt: skip
        self._steps = Histogram(
            f"{_PREFIX}_assembly_step_duration_seconds", "Time of a step.", ["step"], **seconds
        )
        self._blocks = Counter(
            f"{_PREFIX}_evidence_blocks", "Blocks that were offered and placed.", ["outcome"], **own
        )
        self._lookups = Counter(
            f"{_PREFIX}_shared_cache_lookups",
            "Answers and vectors that were looked for in Redis.",
            ["cache", "result"],
            **own,
        )
        LOOKUPS.watch(self.looked_up)
        self._prime = _PrimeFigures(own, seconds)
        live = Gauge(
            f"{_PREFIX}_http_requests_in_flight", "Requests that wait or are answered.",
            multiprocess_mode="livesum", **own,
        )  # fmt: skip
        stale = Gauge(
            f"{_PREFIX}_plans_stale", "1 while the newest plans have a mistake.",
            multiprocess_mode="livemax", **own,
        )  # fmt: skip
        self._now = ((live, in_flight), (stale, is_stale))

    def answered(self, operation: str, status: int, seconds: float) -> None:
        """Count a request."""
        self._requests.labels(operation, str(status)).inc()
        self._request_seconds.labels(operation).observe(seconds)

    def refused_key(self) -> None:
        """Count a failed attempt."""
        self._failures.inc()

    def assembled(self, receipt: Receipt) -> None:
        """Count an assembly."""
        context, complete = receipt.context, str(receipt.is_complete).lower()
        self._assemblies.labels(context, complete).inc()
        self._tokens.labels(context).observe(receipt.used)
        for step in receipt.steps:
            self._steps.labels(step.name).observe(step.seconds)
        offered = [block for part in receipt.parts for block in part.blocks]
        placed = sum(block.given > 0 for block in offered)
        self._blocks.labels("placed").inc(placed)
        self._blocks.labels("left_out").inc(len(offered) - placed)

    def looked_up(self, cache: str, hits: int, misses: int) -> None:
        """Count what was looked for in a cache that processes share."""
        for result, count in (("hit", hits), ("miss", misses)):
            if count:
                self._lookups.labels(cache, result).inc(count)

    def prime(self, metrics: ContextMetrics) -> None:
        """Count a prime context."""
        self._prime.built(metrics)

    def written(self) -> bytes:
        """All figures, as Prometheus reads them; of several workers together."""
        for gauge, value in self._now:
            gauge.set(value())
        registry = self._registry
        if folder := os.environ.get(SHARED):
            forget_dead_workers(Path(folder))
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry)


def forget_dead_workers(folder: Path) -> None:
    """Remove what workers that were killed had in flight: nobody else would, and it would count for ever."""
    workers = {_LIVE.fullmatch(each.name) for each in folder.glob("gauge_live*.db")}
    for process in {int(each[1]) for each in workers if each}:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            with suppress(FileNotFoundError):  # another worker removes them, too
                mark_process_dead(process, str(folder))  # type: ignore[no-untyped-call]
        except PermissionError:  # it lives, as another user
            pass


class _PrimeFigures:
    """The eight figures of the design of prime contexts."""

    def __init__(self, own: dict[str, Any], seconds: dict[str, Any]) -> None:
        def timed(name: str, said: str) -> Histogram:
            return Histogram(f"{_PREFIX}_prime_{name}_seconds", said, **seconds)

        self._assembly = timed("assembly", "Time to build a prime context.")
        self._search = timed("search", "Time of its searches.")
        self._scoring = timed("scoring", "Time of scoring.")
        self._optimization = timed("optimization", "Time of choosing within the budget.")
        self._retrieved = Counter(f"{_PREFIX}_prime_items_retrieved", "Items found.", **own)
        self._selected = Counter(f"{_PREFIX}_prime_items_selected", "Items placed.", **own)
        self._tokens = Histogram(
            f"{_PREFIX}_prime_tokens", "Tokens of prime contexts.", buckets=_TOKENS, **own
        )
        self._hits = Gauge(
            f"{_PREFIX}_prime_cache_hit_ratio", "Of all builds, those that were remembered.",
            multiprocess_mode="livemostrecent", **own,
        )  # fmt: skip

    def built(self, metrics: ContextMetrics) -> None:
        self._assembly.observe(metrics.assembly_time)
        self._search.observe(metrics.search_latency)
        self._scoring.observe(metrics.scoring_latency)
        self._optimization.observe(metrics.optimization_latency)
        self._retrieved.inc(metrics.items_retrieved)
        self._selected.inc(metrics.items_selected)
        self._tokens.observe(metrics.token_usage)
        self._hits.set(metrics.cache_hit_rate)
