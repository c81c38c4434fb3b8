"""The address of a server: as requests use it, and as messages may show it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, Final, Self

from biblicus_context.errors import EmbedderError, MissingExtraError

_PORTS: Final = {"https": 443, "http": 80}
_BEFORE_HOST: Final = re.compile(r"^([a-zA-Z][a-zA-Z0-9+.-]*://)?.*@", re.DOTALL)
_PROVIDER: Final = ("https", "api.openai.com", 443)


@dataclass(frozen=True, slots=True)
class Server:
    """Scheme, host and port are those that the HTTP library connects to: two readings of one
    address are how a key goes astray."""

    url: str
    """With user name and password, if it has them."""
    shown: str
    """Without them."""
    scheme: str
    host: str
    port: int
    has_user: bool

    @classmethod
    def at(cls, base_url: str) -> Self:
        """Read an address; EmbedderError if it is not one."""
        httpx = http_library()
        try:
            url = httpx.URL(base_url)
            host = url.raw_host.decode("ascii").lower().rstrip(".")
        except (httpx.InvalidURL, UnicodeError, TypeError):
            raise _invalid(base_url) from None
        if url.scheme not in _PORTS or not host or url.query or url.fragment:
            raise _invalid(base_url)
        named = f"[{host}]" if ":" in host else host
        port = f":{url.port}" if url.port else ""
        path = url.raw_path.decode("ascii").rstrip("/")
        return cls(
            url=str(url).rstrip("/"),
            shown=f"{url.scheme}://{named}{port}{path}",
            scheme=url.scheme,
            host=host,
            port=url.port or _PORTS[url.scheme],
            has_user=bool(url.userinfo),
        )

    @property
    def is_provider(self) -> bool:
        """Whether it is OpenAI's own, over https."""
        return (self.scheme, self.host, self.port) == _PROVIDER

    @property
    def is_loopback(self) -> bool:
        """Whether it is this machine."""
        try:
            return self.host == "localhost" or ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def is_private(self) -> bool:
        """Whether nobody on the way can read what is sent."""
        return self.scheme == "https" or self.is_loopback


def http_library() -> Any:
    """The library; where it is missing, an error with the line that installs it."""
    try:
        import httpx  # optional
    except ImportError:
        raise MissingExtraError("httpx", "embeddings-server") from None
    return httpx


def _invalid(base_url: object) -> EmbedderError:
    return EmbedderError(
        "base_url is not a valid address of a server",
        found=_BEFORE_HOST.sub(r"\1***@", str(base_url)).partition("?")[0],
        fix="Write it as in https://host/v1, without '?' and '#'.",
    )
