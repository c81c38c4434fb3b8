"""The Model Context Protocol: what is offered, as tools, prompts and resources. Only this file imports the SDK."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from biblicus_context.base import __version__
from biblicus_context.errors import ContextError, InputError, MissingExtraError, UnknownNameError
from biblicus_context.service.callers import Caller
from biblicus_context.service.mcp.offer import SCHEME, LiveOffers, Offer, place_of, uri_of
from biblicus_context.service.mcp.tools import tool_named, tools_of
from biblicus_context.service.requests import HttpRequest
from biblicus_context.service.scopes import KeyScope

try:
    import mcp_types as types
    from mcp.server.caching import CacheHint
    from mcp.server.context import ServerRequestContext
    from mcp.server.lowlevel import Server
    from mcp.server.stdio import stdio_server
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    from mcp.shared.exceptions import MCPError
except ImportError:
    raise MissingExtraError("mcp", "mcp") from None

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from starlette.applications import Starlette
    from starlette.types import Receive, Scope, Send

    from biblicus_context.assembly import ContextAssembler

Answer = TypeVar("Answer")
_Asker: TypeAlias = ServerRequestContext[Any, Any]
OfferOf: TypeAlias = Callable[[_Asker], Offer]
"""What the one who asks is offered."""

_FRESH: Final = CacheHint(ttl_ms=60_000)
"""How long a client may keep a list."""
_INVALID: Final = -32602
_FAILED: Final = -32603
_MOST_AT_ONCE: Final = 4
_CALLER: Final = "biblicus_context.caller"
"""Where a request has who asks."""
_APPS: Final = "io.modelcontextprotocol/ui"
"""The extension by which a client says that it shows apps."""
_APP: Final = "ui://biblicus-context/context"
_APP_MEDIA: Final = "text/html;profile=mcp-app"
_SHOWN: Final = "assemble"
"""The tool whose results the app shows."""
_SHOWS: Final = {"ui": {"resourceUri": _APP}}
_PLAIN: Final = "text/plain"
_SAYS: Final = (
    "Evidence and contexts within exact token budgets. Answers say how many tokens they have; what was "
    "cut is read whole by its biblicus:// resource."
)
_log = logging.getLogger(__name__)


def serve_stdio(offer: Offer | Callable[[], Offer]) -> None:
    """Answer on standard input and output until the client closes them."""
    asyncio.run(_on_stdio(offer))


def http_app(
    offer: Offer | Callable[[], Offer], *, path: str = "/mcp", host: str = "127.0.0.1"
) -> Starlette:
    """An ASGI app that answers at a path; requests for another host are refused."""
    return server_of(offer).streamable_http_app(
        streamable_http_path=path, host=host, stateless_http=True, json_response=True
    )


class AgentsEndpoint:
    """The protocol over HTTP for callers with keys, as an ASGI app that a service serves at a path.

    Each request is answered for itself. `let_in` says who asks, or refuses.
    """

    def __init__(
        self,
        offers: LiveOffers,
        let_in: Callable[[HttpRequest], Awaitable[Caller]],
        *,
        body_bytes: int,
    ) -> None:
        self._let_in = let_in

        def offered(asker: _Asker) -> Offer:
            assert asker.request is not None
            caller: Caller = asker.request.scope[_CALLER]
            return offers.of(caller.principal, may_write=caller.may(KeyScope.WRITE))

        self._manager = StreamableHTTPSessionManager(
            _server(offered), stateless=True, json_response=True, max_request_body_size=body_bytes
        )

    def running(self) -> AbstractAsyncContextManager[None]:
        """Requests are answered within it."""
        return self._manager.run()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        caller = await self._let_in(HttpRequest(scope, receive))
        await self._manager.handle_request({**scope, _CALLER: caller}, receive, send)


def server_of(offer: Offer | Callable[[], Offer]) -> Server[Any]:
    """A server of the official SDK, which speaks each version of the protocol that it knows.

    A function is asked for the offer with each call, as plans may have changed.
    """
    return _server((lambda _: offer) if isinstance(offer, Offer) else (lambda _: offer()))


def _server(offer_of: OfferOf) -> Server[Any]:
    # The SDK logs failing calls with their texts, which may be anybody's.
    logging.getLogger("mcp").setLevel(logging.CRITICAL)
    door = _Door(offer_of)
    return Server(
        "biblicus-context",
        version=__version__,
        instructions=_SAYS,
        on_list_tools=door.list_tools,
        on_call_tool=door.call_tool,
        on_list_prompts=door.list_prompts,
        on_get_prompt=door.get_prompt,
        on_list_resources=door.list_resources,
        on_list_resource_templates=door.list_resource_templates,
        on_read_resource=door.read_resource,
        cache_hints={
            "tools/list": _FRESH,
            "prompts/list": _FRESH,
            "resources/list": _FRESH,
            "resources/templates/list": _FRESH,
        },
    )


async def _on_stdio(offer: Offer | Callable[[], Offer]) -> None:
    server = server_of(offer)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


class _Door:
    """What the protocol asks, answered by an offer."""

    def __init__(self, offer_of: OfferOf) -> None:
        self._offer_of = offer_of
        self._running = asyncio.Semaphore(_MOST_AT_ONCE)

    async def list_tools(self, asker: _Asker, __: object) -> types.ListToolsResult:
        offer = self._offer_of(asker)
        tools = [
            types.Tool(
                name=each.name,
                description=each.says,
                input_schema=each.input_schema(offer),
                output_schema=each.output_schema(),
                annotations=None if each.writes else types.ToolAnnotations(read_only_hint=True),
                _meta=_SHOWS if each.name == _SHOWN and _shows_apps(asker) else None,
            )
            for each in tools_of(offer).values()
        ]
        return types.ListToolsResult(tools=tools)

    async def call_tool(
        self, asker: _Asker, asked: types.CallToolRequestParams
    ) -> types.CallToolResult:
        async def call() -> dict[str, Any]:
            offer = self._offer_of(asker)
            tool = tool_named(offer, asked.name)
            answer = await tool.call(offer, asked.arguments or {})
            return answer.model_dump(mode="json")

        try:
            found = await self._answered(call)
        except MCPError as error:  # as a result, so that the model reads it and can ask again
            return types.CallToolResult(content=[_text(error.error.message)], is_error=True)
        said = found["text"] if "text" in found else json.dumps(found, ensure_ascii=False)
        return types.CallToolResult(content=[_text(said)], structured_content=found)

    async def list_prompts(self, asker: _Asker, __: object) -> types.ListPromptsResult:
        assembler = self._offer_of(asker).assembler
        prompts = [
            types.Prompt(
                name=name, description=each.description, arguments=_arguments(assembler, name)
            )
            for name, each in assembler.contexts.items()
        ]
        return types.ListPromptsResult(prompts=prompts)

    async def get_prompt(
        self, asker: _Asker, asked: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        async def ask() -> types.GetPromptResult:
            assembler = self._offer_of(asker).assembler
            inputs = _inputs(assembler, asked.name, asked.arguments or {})
            result = await assembler.aassemble(asked.name, inputs=inputs)
            # The protocol knows no system role: what the system says comes first, as the user's.
            messages = [
                types.PromptMessage(
                    role="assistant" if each["role"] == "assistant" else "user",
                    content=_text(_said(each["content"])),
                )
                for each in result.messages
            ]
            return types.GetPromptResult(messages=messages)

        return await self._answered(ask)

    async def list_resources(self, asker: _Asker, __: object) -> types.ListResourcesResult:
        resources = [
            types.Resource(
                name=name,
                uri=uri_of(name),
                mime_type=_PLAIN,
                description=f"The documents of corpus '{name}'.",
            )
            for name in self._offer_of(asker).corpora
        ]
        if _shows_apps(asker):
            resources.append(types.Resource(name="context", uri=_APP, mime_type=_APP_MEDIA))
        return types.ListResourcesResult(resources=resources)

    async def list_resource_templates(
        self, asker: _Asker, __: object
    ) -> types.ListResourceTemplatesResult:
        template = types.ResourceTemplate(
            name="document",
            uri_template=f"{SCHEME}{{corpus}}/{{+document}}{{?line}}",
            description="A document, or the one that has a passage, from a line on.",
            mime_type=_PLAIN,
        )
        there = [template] if self._offer_of(asker).corpora else []
        return types.ListResourceTemplatesResult(resource_templates=there)

    async def read_resource(
        self, asker: _Asker, asked: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(asked.uri)

        async def read() -> str:
            return await self._offer_of(asker).document(*place_of(uri))

        if uri == _APP:
            page = types.TextResourceContents(uri=uri, mime_type=_APP_MEDIA, text=_app())
            return types.ReadResourceResult(contents=[page])
        text = await self._answered(read)
        contents = types.TextResourceContents(uri=uri, mime_type=_PLAIN, text=text)
        return types.ReadResourceResult(contents=[contents])

    async def _answered(self, ask: Callable[[], Awaitable[Answer]]) -> Answer:
        """An answer, or an error in our words; what nobody expected is named by its type alone."""
        async with self._running:
            try:
                return await ask()
            except ContextError as error:
                raise MCPError(_INVALID, str(error)) from None
            except Exception as error:  # its text may be anybody's, so its type alone is told
                _log.error("a call failed: %s", type(error).__name__)
                raise MCPError(_FAILED, "the server failed; its log says why") from None


def _arguments(assembler: ContextAssembler, context: str) -> list[types.PromptArgument]:
    return [
        types.PromptArgument(
            name=name,
            description=each.description,
            required=each.required and not each.has_default,
        )
        for name, each in assembler.inputs(context).items()
    ]


def _inputs(
    assembler: ContextAssembler, context: str, arguments: Mapping[str, str]
) -> dict[str, Any]:
    """Arguments of prompts are texts; those of another declared type are JSON."""
    if context not in assembler.contexts:
        raise UnknownNameError("Context", context, assembler.contexts)
    kinds = {name: each.type for name, each in assembler.inputs(context).items()}
    return {name: _value(name, text, kinds.get(name)) for name, text in arguments.items()}


def _shows_apps(asker: _Asker) -> bool:
    """Whether the client shows apps: others need not read about one."""
    known = asker.session.client_capabilities
    return known is not None and _APPS in (known.extensions or {})


@cache
def _app() -> str:
    return (files("biblicus_context.service.mcp") / "app.html").read_text(encoding="utf-8")


def _text(said: str) -> types.TextContent:
    return types.TextContent(text=said)


def _said(content: Any) -> str:
    """What a message says; of parts, their texts."""
    if isinstance(content, str):
        return content
    return "\n\n".join(each.get("text", "") for each in content or () if isinstance(each, Mapping))


def _value(name: str, text: str, kind: str | None) -> Any:
    if kind in (None, "any", "string"):
        return text
    try:
        return json.loads(text)
    except ValueError:
        raise InputError("not JSON", place=f"input.{name}", found=text, valid=[str(kind)]) from None
