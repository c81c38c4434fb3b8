"""The settings of a service: where it looks, whom it lets in, and what a request may cost."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from biblicus_context.base import invalid_values, path_of
from biblicus_context.errors import InputError, LoadError
from biblicus_context.reading import yaml_value
from biblicus_context.service.upstream import GatewaySettings
from biblicus_context.service.web_tokens import WebTokenSettings


class _Settings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class LimitSettings(_Settings):
    """What a request may cost."""

    body_bytes: int = Field(default=4_194_304, ge=1_024, description="Of a body.")
    history_messages: int = Field(default=10_000, ge=1, description="Messages of a history.")
    budget: int = Field(default=1_000_000, ge=1, description="Tokens that a call may ask for.")
    documents: int = Field(default=1_000, ge=1, description="Documents that one request writes.")
    seconds: float = Field(default=30.0, gt=0, le=600, description="Until an answer, else a 504.")
    body_seconds: float = Field(default=10.0, gt=0, le=600, description="For a whole body to come.")
    threads: int = Field(default=2, ge=1, le=64, description="Requests that are answered at once.")
    in_flight: int = Field(default=64, ge=1, description="Requests that wait or are answered.")
    receiving: int = Field(default=256, ge=1, description="Bodies that come at the same time.")
    connections: int = Field(default=1_000, ge=1, description="Open connections of a worker.")
    header_bytes: int = Field(default=32_768, ge=1_024, description="Of all headers together.")
    header_seconds: float = Field(default=10.0, gt=0, description="For all headers to come.")
    requests_a_minute: int | None = Field(
        default=None, ge=1, description="Of a key; None: any number."
    )


class PriceSettings(_Settings):
    """What a million tokens of a model's input cost."""

    input: float = Field(ge=0, description="Tokens that no cache has.")
    cached: float | None = Field(
        default=None, ge=0, description="Tokens of a cached beginning. Default: as the others."
    )


class ServiceSettings(_Settings):
    """All of them; `service.yaml` has the same names."""

    limits: LimitSettings = LimitSettings()
    jwt: WebTokenSettings | None = Field(default=None, description="Tokens that are keys, too.")
    hosts: tuple[str, ...] = Field(
        default=(),
        description="Names that a Host header may have; without keys those of this machine.",
    )
    origins: tuple[str, ...] = Field(
        default=(), description="Web pages that may ask, such as https://app.example (CORS)."
    )
    allow_keys: Mapping[str, str] = Field(
        default_factory=dict,
        description="Servers that declared embedders may send a key to: `{MY_KEY: host}`.",
    )
    index: Literal["never", "missing", "stale"] = Field(
        default="missing", description="Which indexes of declared folders are made at the start."
    )
    data: Path | None = Field(
        default=None, description="Folder of the four systems; without one they are not served."
    )
    gateway: GatewaySettings = GatewaySettings()
    telemetry: bool = Field(
        default=False,
        description="Whether spans are made, for the global provider of OpenTelemetry.",
    )
    redis: str | None = Field(
        default=None, description="URL of a Redis that counts for several workers."
    )
    mcp: bool = Field(
        default=False,
        description="Whether agents may ask at `/mcp`, with keys of the scope read (extra mcp).",
    )
    prices: Mapping[str, PriceSettings] = Field(
        default_factory=dict,
        description="Of models, in a currency of yours, for the inspector: `{gpt-4o: {input: 2.5}}`.",
    )
    inspected_calls: int = Field(
        default=0,
        ge=0,
        le=10_000,
        description="Calls whose messages are kept in memory, which their callers can inspect.",
    )
    reload_seconds: float = Field(
        default=1.0, ge=0.05, le=3600, description="How often changed plans are looked for."
    )

    @field_validator("hosts")
    @classmethod
    def _without_ports(cls, hosts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(each.lower() for each in hosts)

    @classmethod
    def of(cls, given: Self | Mapping[str, Any] | str | Path | None) -> Self:
        """The settings in a file or a mapping; an unknown name is an InputError."""
        if isinstance(given, cls):
            return given
        is_file = isinstance(given, str | Path)
        place = str(given) if is_file else ""
        known = _read(path_of(given, "settings")) if is_file else given
        try:
            return cls.model_validate({} if known is None else known)
        except ValidationError as error:
            first = invalid_values(error)[0]
            where = ": ".join(filter(None, (place, first.place)))
            # An address with a password is in no error: errors are printed, and copied.
            found = None if "@" in str(first.value) else first.value
            raise InputError(first.problem, place=where or None, found=found) from None


def _read(path: Path) -> object:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise LoadError(f"cannot be read: {error}", file=str(path)) from None
    found = yaml_value(text, str(path))
    # A path in a file is relative to the file.
    if isinstance(found, Mapping) and isinstance(jwt := found.get("jwt"), Mapping):
        found = {**found, "jwt": {**jwt, "jwks": str(path.parent / str(jwt.get("jwks", "")))}}
    if isinstance(found, Mapping) and isinstance(data := found.get("data"), str):
        found = {**found, "data": str(path.parent / data)}
    return found
