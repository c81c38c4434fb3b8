"""Which API keys may be sent to which hosts: a caller decides, never a plan."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Self, TypeAlias

from biblicus_context.base.doors import door
from biblicus_context.embedders.server import Server
from biblicus_context.errors import InputError

KeyHosts: TypeAlias = Mapping[str, str | Sequence[str]]
"""Names of environment variables, each with the hosts (HOST or HOST:PORT) its key may be sent to."""

VARIABLE: Final = "BIBLICUS_CONTEXT_ALLOW_KEYS"
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_HOST: Final = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(:[0-9]{1,5})?")


@door
@dataclass(frozen=True, slots=True)
class AllowedKeys:
    """By name of an environment variable the hosts its key may be sent to."""

    hosts: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, given: KeyHosts | Self | None) -> Self:
        """Check what Python passes.

        >>> AllowedKeys.of({"MY_KEY": "Gateway.example"}).hosts["MY_KEY"]
        frozenset({'gateway.example'})
        """
        if isinstance(given, AllowedKeys):
            return given
        return cls({name: _hosts(name, hosts) for name, hosts in (given or {}).items()})

    @classmethod
    def parsed(cls, options: Iterable[str]) -> Self:
        """Read options of a command line: NAME=HOST."""
        found: dict[str, list[str]] = {}
        for option in options:
            name, _, host = option.partition("=")
            found.setdefault(name, []).append(host)
        return cls.of(found)

    @classmethod
    def of_environment(cls) -> Self:
        """Read BIBLICUS_CONTEXT_ALLOW_KEYS, for programs whose arguments are not ours: NAME=HOST,
        several with spaces in between."""
        return cls.parsed(os.environ.get(VARIABLE, "").split())

    def and_also(self, other: Self) -> Self:
        """What one of both allows."""
        names = {*self.hosts, *other.hosts}
        nothing: frozenset[str] = frozenset()
        return type(self)(
            {name: self.hosts.get(name, nothing) | other.hosts.get(name, nothing) for name in names}
        )

    def allow(self, name: str, server: Server) -> bool:
        """Whether the key in this environment variable may be sent to a server."""
        named = self.hosts.get(name, frozenset())
        host = f"[{server.host}]" if ":" in server.host else server.host
        is_own = server.is_provider and is_of_the_provider(name)
        return is_own or host in named or f"{host}:{server.port}" in named


def is_of_the_provider(name: str) -> bool:
    """Whether a variable is named as the provider's: other secrets are not for it either.

    >>> is_of_the_provider("OPENAI_API_KEY"), is_of_the_provider("AWS_SECRET_ACCESS_KEY")
    (True, False)
    """
    return name.startswith("OPENAI_")


def key_problem(name: str, server: Server) -> InputError:
    """The error for a key that is not sent."""
    return InputError(
        f"the key in {name} is not sent to {server.host}: a plan may not choose where keys go",
        place="embedder 'openai'",
        fix=f"If you trust this server, pass --allow-key {name}={server.host}, or in Python "
        f"allow_keys={{{name!r}: {server.host!r}}}. A server without a key takes api_key_env: null.",
    )


def _hosts(name: object, hosts: object) -> frozenset[str]:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise _refused("not the name of an environment variable", name)
    if isinstance(hosts, Sequence | set | frozenset) and not isinstance(hosts, str):
        return frozenset(map(_host, hosts))
    return frozenset([_host(hosts)])


def _host(host: object) -> str:
    lower = host.lower().rstrip(".") if isinstance(host, str) else ""
    if not _HOST.fullmatch(lower):
        raise _refused("not a host", host)
    return lower


def _refused(problem: str, found: object) -> InputError:
    fix = "Write NAME=HOST or NAME=HOST:PORT, as in MY_KEY=gateway.example."
    return InputError(problem, place="allowed keys", found=found, fix=fix)
