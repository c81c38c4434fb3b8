"""The one server of a provider that a gateway passes requests on to."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator
from starlette.responses import Response, StreamingResponse

from biblicus_context.base import logger
from biblicus_context.embedders import http_library
from biblicus_context.errors import InputError
from biblicus_context.integrations.open_telemetry import OpenTelemetry
from biblicus_context.service.operations import OperationCall
from biblicus_context.service.problems import refusal

if TYPE_CHECKING:
    import httpx

Provider: TypeAlias = Literal["openai", "anthropic"]
PROVIDERS: Final[tuple[Provider, ...]] = ("openai", "anthropic")
_PASSED: Final = ("anthropic-version", "anthropic-beta")
"""Headers of a client that its provider needs; no other one is passed on, and never a key."""
_RETURNED: Final = ("content-type", "retry-after")
_MOST_OF_AN_ERROR: Final = 65_536
_REFUSED: Final = (401, 403)
_VERSION: Final = "2023-06-01"


class UpstreamSettings(BaseModel):
    """Where requests of one provider go."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    url: str = Field(description="Base URL, such as https://api.openai.com/v1.")
    key_variable: str | None = Field(
        default=None, description="Environment variable with the key; None: the server wants none."
    )
    seconds: float = Field(default=300.0, gt=0, description="For each part of an answer to come.")
    breakpoints: bool = Field(
        default=False, description="Whether OpenAI's models take explicit cache breakpoints."
    )
    most: int = Field(default=256, ge=1, description="Requests that are answered at once.")

    @field_validator("url")
    @classmethod
    def _is_url(cls, url: str) -> str:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
            raise ValueError("a URL such as https://api.openai.com/v1, without a password")
        return url.rstrip("/")


class GatewaySettings(BaseModel):
    """The upstreams, by provider; one without an entry is not served."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    openai: UpstreamSettings | None = None
    anthropic: UpstreamSettings | None = None


class UpstreamRequest(NamedTuple):
    """What is passed on, and the receipt of what is in it."""

    content: bytes
    receipt_id: str


class Upstream:
    """Passes requests on with the key of the operator, and answers back byte by byte."""

    def __init__(
        self,
        provider: Provider,
        settings: UpstreamSettings,
        telemetry: OpenTelemetry | None = None,
    ) -> None:
        self._provider, self._settings, self._telemetry = provider, settings, telemetry
        variable = settings.key_variable
        self._key = os.environ.get(variable, "") if variable else ""
        if variable and not self._key:
            fix = "Set it, and start the service again."
            place = f"gateway.{provider}.key_variable"
            raise InputError("this variable is empty", place=place, found=variable, fix=fix)
        path = "/chat/completions" if provider == "openai" else "/v1/messages"
        self._url = f"{settings.url}{path}"
        self._now = 0
        self._client: httpx.AsyncClient | None = None

    @property
    def has_breakpoints(self) -> bool:
        """Whether the ends of what the next call repeats are marked for OpenAI's cache."""
        return self._settings.breakpoints

    async def reply(self, call: OperationCall, asked: UpstreamRequest) -> Response:
        """The answer of the provider to a request; errors that show our key are not passed back."""
        if self._now >= self._settings.most:
            raise refusal(429, "too many requests are answered", headers={"retry-after": "1"})
        self._now += 1
        is_streamed = False
        try:
            answer = await self._sent(call.headers, asked.content)
            if answer.is_success:
                is_streamed = True
                headers = self._headers_of(answer, asked)
                return StreamingResponse(self._streamed(answer), answer.status_code, headers)
            return await self._failed(answer, asked)
        finally:
            if not is_streamed:
                self._now -= 1

    async def _sent(self, headers: Mapping[str, str], content: bytes) -> httpx.Response:
        httpx = http_library()
        client = self._opened()
        own = {name: headers[name] for name in _PASSED if name in headers}
        own |= self._telemetry.headers() if self._telemetry else {}
        request = client.build_request("POST", self._url, content=content, headers=own)
        try:
            return await client.send(request, stream=True)
        except httpx.TimeoutException:
            raise refusal(504, "the provider does not answer") from None
        except httpx.HTTPError:
            raise refusal(502, "the provider cannot be reached") from None

    async def _streamed(self, answer: httpx.Response) -> AsyncIterator[bytes]:
        try:
            async for piece in answer.aiter_raw():
                yield piece
        finally:
            self._now -= 1
            await asyncio.shield(answer.aclose())

    async def _failed(self, answer: httpx.Response, asked: UpstreamRequest) -> Response:
        try:
            body = bytearray()
            async for piece in answer.aiter_raw():
                body += piece
                if len(body) > _MOST_OF_AN_ERROR:
                    break
        finally:
            await answer.aclose()
        if answer.status_code in _REFUSED:
            # It is our key that is refused, and the answer may show a part of it.
            logger("service").error("%s refused the key of the gateway", self._provider)
            raise refusal(502, "the provider refused the key of this server")
        content = bytes(body[:_MOST_OF_AN_ERROR])
        if self._key:
            content = content.replace(self._key.encode(), b"[hidden]")
        return Response(content, answer.status_code, self._headers_of(answer, asked))

    def _headers_of(self, answer: httpx.Response, asked: UpstreamRequest) -> dict[str, str]:
        found = {name: answer.headers[name] for name in _RETURNED if name in answer.headers}
        return {**found, "x-receipt-id": asked.receipt_id}

    def _opened(self) -> httpx.AsyncClient:
        if self._client is None:
            own: dict[str, Any] = {
                "content-type": "application/json",
                "accept-encoding": "identity",
            }
            if self._provider == "anthropic":
                own |= {"anthropic-version": _VERSION}
            if self._key:
                is_bearer = self._provider == "openai"
                own |= (
                    {"authorization": f"Bearer {self._key}"}
                    if is_bearer
                    else {"x-api-key": self._key}
                )
            # No redirect and no proxy of the environment: either would get the key.
            self._client = http_library().AsyncClient(
                headers=own, timeout=self._settings.seconds, follow_redirects=False, trust_env=False
            )
        return self._client

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.aclose()
