"""The service as an ASGI application, for our own server and for those of others."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.routing import BaseRoute, Route

from biblicus_context.assembly import Observer
from biblicus_context.base import door
from biblicus_context.corpora import LOCAL, Corpus
from biblicus_context.integrations.open_telemetry import OpenTelemetry
from biblicus_context.service.authentication import Authentication, require_scope
from biblicus_context.service.callers import Caller
from biblicus_context.service.contexts import ContextOperations
from biblicus_context.service.documents import CorpusOperations
from biblicus_context.service.endpoint import Endpoint, Receiving
from biblicus_context.service.frame import LOCAL_HOSTS, Frame
from biblicus_context.service.gateway import GatewayOperations
from biblicus_context.service.guards import Guards
from biblicus_context.service.health import HealthOperations
from biblicus_context.service.inspector import InspectorOperations
from biblicus_context.service.keys import KeyFile
from biblicus_context.service.metrics import ServiceMetrics
from biblicus_context.service.openapi import description, page
from biblicus_context.service.operations import Operation
from biblicus_context.service.plans import LivePlans
from biblicus_context.service.requests import HttpRequest
from biblicus_context.service.routes import Routes
from biblicus_context.service.scopes import KeyScope
from biblicus_context.service.settings import ServiceSettings
from biblicus_context.service.systems import Systems
from biblicus_context.service.upstream import PROVIDERS, Upstream
from biblicus_context.service.web_tokens import WebTokens
from biblicus_context.service.workers import Workers
from biblicus_context.stores import Principal

if TYPE_CHECKING:
    from biblicus_context.service.mcp import AgentsEndpoint

STATE: Final = "service"


class Service:
    """What a service is made of; `app.state.service` is the one of an application."""

    def __init__(
        self,
        plans: LivePlans,
        authentication: Authentication,
        settings: ServiceSettings,
        *,
        is_alone: bool = True,
        telemetry: OpenTelemetry | None = None,
    ) -> None:
        self.plans, self.authentication, self.settings = plans, authentication, settings
        limits = settings.limits
        self.workers = Workers(limits.threads, limits.in_flight)
        self.health = HealthOperations(plans)
        self.contexts = ContextOperations(plans, limits)
        self.corpora = CorpusOperations(plans, limits)
        self.metrics = ServiceMetrics(
            lambda: self.workers.in_flight, lambda: plans.problem is not None
        )
        authentication.on_failure = self.metrics.refused_key
        self.contexts.on_assembled = self.metrics.assembled
        place = settings.data
        self.systems = None if place is None else Systems(place, self.metrics.prime)
        self._telemetry = telemetry
        self.upstreams = {
            name: Upstream(name, each, telemetry)
            for name in PROVIDERS
            if (each := getattr(settings.gateway, name)) is not None
        }
        self.inspector = InspectorOperations(self.contexts, settings)
        self.gateway = GatewayOperations(self.contexts, self.upstreams)
        self.guards = Guards(settings, is_alone=is_alone)
        self._receiving = Receiving(limits)

    @cached_property
    def operations(self) -> Sequence[Operation]:
        """Everything that the service does, in the order of its description."""
        return [
            *self.contexts.all(),
            *self.corpora.all(),
            *(self.systems.operations() if self.systems else ()),
            *self.gateway.all(),
            *self.inspector.all(),
            *self.health.all(lambda: self.document, lambda: self._page, self.metrics.written),
        ]

    @cached_property
    def document(self) -> dict[str, Any]:
        """The description of the service."""
        return description(self.operations, is_open=self.authentication.is_open)

    @cached_property
    def _page(self) -> str:
        return page(self.document)

    def routes(self) -> Routes:
        """The path of each operation."""
        return Routes((each, self.endpoint(each)) for each in self.operations)

    @cached_property
    def agents(self) -> AgentsEndpoint | None:
        """What agents ask; None without the setting `mcp`."""
        if not self.settings.mcp:
            return None
        from biblicus_context.service.mcp import AgentsEndpoint, LiveOffers  # an extra

        systems = self.systems
        offers = LiveOffers(
            self.plans, lambda who: systems.learning_store(Caller(who)) if systems else None
        )
        return AgentsEndpoint(offers, self._agent, body_bytes=self.settings.limits.body_bytes)

    async def _agent(self, request: HttpRequest) -> Caller:
        caller = await self.authentication.caller(request)
        require_scope(caller, KeyScope.READ)
        await run_in_threadpool(self.guards.take, caller)
        return caller

    def endpoint(self, operation: Operation) -> Endpoint:
        """An ASGI application that lets callers in as every other operation does."""
        return Endpoint(
            operation,
            self.authentication,
            self.workers,
            self._receiving,
            self.guards,
            self.settings.limits,
            self._telemetry,
        )

    @asynccontextmanager
    async def lifespan(self, _: Starlette) -> AsyncIterator[None]:
        """Look for changed plans while the application runs, and close what was opened."""
        self.plans.look()
        try:
            async with self.agents.running() if self.agents else nullcontext():
                yield
        finally:
            self.health.is_draining = True
            for each in self.upstreams.values():
                await each.close()
            self.close()

    def close(self) -> None:
        """Close what was opened, and end the threads."""
        self.plans.close()
        if self.systems is not None:
            self.systems.close()
        self.workers.close()


@door
def app(
    *paths: str | Path,
    keys: str | Path | KeyFile | None = None,
    principal: Principal = LOCAL,
    settings: ServiceSettings | Mapping[str, Any] | str | Path | None = None,
    corpora: Mapping[str, Corpus] | None = None,
    observers: Sequence[Observer] = (),
    routes: Sequence[BaseRoute] = (),
    is_alone: bool = True,
    **registries: Any,
) -> Starlette:
    """The service over the plans in these files and folders.

    Args:
        *paths: Files and folders of plans.
        keys: The file of the keys. Without keys and without `jwt` in the settings, only clients on
            this machine may ask, as `principal`.
        principal: Who asks without a key, and whose workspace has the indexes of declared folders.
        settings: The settings, or a file of them.
        corpora: Open corpora by name, in place of declared ones.
        observers: Callables that get the receipt of each result.
        routes: More routes, such as mounted applications; `request.app.state.service` is the `Service`.
        is_alone: False in one of several processes: without Redis they do not know of each other.
        **registries: The other arguments of `ContextAssembler`, such as `default_retriever`.
    """
    own = ServiceSettings.of(settings)
    file = KeyFile(keys) if isinstance(keys, str | Path) else keys
    if file is not None:
        file.check()
    tokens = None if own.jwt is None else WebTokens(own.jwt)
    telemetry = next((each for each in observers if isinstance(each, OpenTelemetry)), None)
    if telemetry is None and own.telemetry:
        observers = [*observers, telemetry := OpenTelemetry()]
    authentication = Authentication(file, tokens, Caller(principal))
    plans = LivePlans(
        paths,
        principal=principal,
        index=own.index,
        corpora=corpora,
        seconds=own.reload_seconds,
        observers=observers,
        allow_keys=own.allow_keys or None,
        **registries,
    )
    service = Service(plans, authentication, own, is_alone=is_alone, telemetry=telemetry)
    hosts = own.hosts or (LOCAL_HOSTS if authentication.is_open else ())
    made = Starlette(
        routes=[*([Route("/mcp", service.agents)] if service.agents else ()), *routes],
        middleware=[
            Middleware(
                Frame,
                routes=service.routes(),
                hosts=hosts,
                origins=own.origins,
                metrics=service.metrics,
                header_bytes=own.limits.header_bytes,
            )
        ],
        exception_handlers={HTTPException: _raised},
        lifespan=service.lifespan,
    )
    made.router.redirect_slashes = False  # it would redirect to whatever host was asked for
    made.state.service = service
    return made


async def _raised(_: Request, error: Exception) -> Any:
    """Starlette's own errors are worded where all others are."""
    raise error
