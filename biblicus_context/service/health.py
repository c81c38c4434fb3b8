"""Operations that anybody may ask: whether the service lives, whether it is ready, what it can do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal

from pydantic import BaseModel, Field

from biblicus_context.service.metrics import MEDIA
from biblicus_context.service.operations import Operation, OperationCall
from biblicus_context.service.plans import LivePlans
from biblicus_context.service.problems import refusal
from biblicus_context.service.scopes import KeyScope

_GROUP: Final = "Service"


class Alive(BaseModel):
    """The process answers."""

    status: Literal["alive"] = "alive"


class Ready(BaseModel):
    """Whether requests can be answered, and whether the newest plans answer them."""

    status: Literal["ready", "stale"]
    contexts: int
    problem: str | None = Field(
        default=None, description="Why the newest plans are not served; those of before are."
    )


class HealthOperations:
    """What balancers and monitors ask."""

    def __init__(self, plans: LivePlans) -> None:
        self._plans = plans
        self.is_draining = False

    def all(
        self,
        document: Callable[[], dict[str, Any]],
        page: Callable[[], str],
        metrics: Callable[[], bytes],
    ) -> list[Operation]:
        """Every operation; `document` and `page` describe the service."""
        own: dict[str, Any] = {"method": "GET", "group": _GROUP, "is_quick": True}
        return [
            Operation(name="healthz", path="/healthz", work=lambda _: Alive(), answer=Alive,
                      summary="Whether the process answers.", **own),
            Operation(name="readyz", path="/readyz", work=self._ready, answer=Ready,
                      summary="Whether requests can be answered.", problems=(503,), **own),
            Operation(name="metrics", path="/metrics", work=lambda _: metrics(), answer=str,
                      media=MEDIA, scope=KeyScope.INSPECT,
                      summary="Figures for Prometheus; none of a tenant.", **own),
            Operation(name="openapi", path="/openapi.json", work=lambda _: document(),
                      answer=dict[str, Any], summary="This description.", **own),
            Operation(name="docs", path="/docs", work=lambda _: page(), answer=str,
                      media="text/html", summary="This description as a page.", **own),
        ]  # fmt: skip

    def _ready(self, _: OperationCall) -> Ready:
        contexts = len(self._plans.now.project.contexts)
        problem = self._plans.problem
        if self.is_draining:
            raise refusal(503, "the server is stopping", headers={"retry-after": "1"})
        # Whose plans they are is in the log: places of files are nobody else's business.
        said = None if problem is None else f"{type(problem).__name__}: the log says where"
        return Ready(status="stale" if problem else "ready", contexts=contexts, problem=said)
