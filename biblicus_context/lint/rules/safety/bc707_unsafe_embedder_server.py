"""BC707: an embedder that sends a key or texts where they may be read by others."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_address
from typing import Final
from urllib.parse import SplitResult, urlsplit

from biblicus_context.embedders.allowed_keys import is_of_the_provider
from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.own_corpora import own_settings
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.rules.example_parts import ASKING
from biblicus_context.spec.embedder import OpenAIEmbedderSpec

_URL: Final = ("config", "embedder", "base_url")
_KEY: Final = ("config", "embedder", "api_key_env")
_PROVIDER: Final = "api.openai.com"


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    settings = own_settings(plan.declaration, declared)
    spec = settings.embedder if settings else None
    if not isinstance(spec, OpenAIEmbedderSpec):
        return
    url = _parsed(spec.base_url)
    if url is None or url.hostname is None or url.scheme not in ("http", "https"):
        yield plan.violation(
            _URL,
            "this is not the address of a server",
            advice="Write it as in https://host/v1.",
        )
        return
    shown = f"{url.scheme}://{url.hostname}"
    if "@" in url.netloc and not url.password:  # a password is what BC704 reports
        advice = "Remove what is before the '@', and name the key under api_key_env."
        yield plan.violation(_URL, "the address contains a user name", found=shown, advice=advice)
    if url.scheme == "http" and not _is_loopback(url.hostname):
        advice = "Use https; a key is never sent over http to another machine."
        yield plan.violation(
            _URL, "the texts are sent without encryption", found=shown, advice=advice
        )
    elif _is_chosen(spec) and not _is_own(spec, url):
        yield plan.violation(
            _KEY,
            f"the key is for {url.hostname}, which only the caller can allow",
            found=spec.api_key_env,
            advice=f"Pass --allow-key {spec.api_key_env}={url.hostname} if you trust this server, "
            "or write api_key_env: null.",
        )


def _parsed(address: str) -> SplitResult | None:
    try:
        url = urlsplit(address)
        return url if url.port != 0 else None
    except ValueError:
        return None


def _is_chosen(spec: OpenAIEmbedderSpec) -> bool:
    """Without a choice of the author no key goes to other servers than the provider's."""
    return spec.api_key_env is not None and "api_key_env" in spec.model_fields_set


def _is_own(spec: OpenAIEmbedderSpec, url: SplitResult) -> bool:
    """Whether the key is the provider's, by its name, and goes to the provider."""
    return url.hostname == _PROVIDER and is_of_the_provider(spec.api_key_env or "")


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


RULE = Rule(
    code="BC707",
    name="unsafe-embedder-server",
    severity=Severity.WARNING,
    finds=(
        "An embedder of type `openai` names a key for a server that is not OpenAI's, or a key for "
        "OpenAI whose name does not begin with `OPENAI_`, uses `http` to another machine, or has a "
        "user name in its address."
    ),
    why=(
        "A plan must not decide where keys go: whoever changes it could send any environment "
        "variable to a server of their own. The engine refuses to send the key unless the caller "
        "allows it. Over `http`, everybody on the way can read the texts."
    ),
    instead=(
        "Use `https`. Write `api_key_env: null` for a server without a key. If the server is "
        "trusted, pass `--allow-key NAME=HOST` or `allow_keys`, and suppress the finding with this "
        "as its reason."
    ),
    bad="""\
kind: corpus
name: handbook
config:
  root: handbook
  embedder:
    type: openai
    model: embed-small
    dimensions: 256
    base_url: https://gateway.internal/v1
    api_key_env: PAYROLL_TOKEN  # <- BC707
"""
    + ASKING,
    good="""\
kind: corpus
name: handbook
config:
  root: handbook
  embedder:
    type: openai
    model: embed-small
    dimensions: 256
    base_url: https://gateway.internal/v1
    api_key_env: null
"""
    + ASKING,
    check=_check,
    depends_on=frozenset(),
)
