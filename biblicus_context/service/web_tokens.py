"""JSON Web Tokens of an identity provider: the one place that loads PyJWT."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from biblicus_context.base import logger
from biblicus_context.errors import InputError, MissingExtraError
from biblicus_context.service.callers import Caller
from biblicus_context.service.scopes import KeyScope
from biblicus_context.stores import Principal

Algorithm = Literal["RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "EdDSA"]
"""Signed with a private key alone: with a shared secret whoever checks tokens could make them."""

_LOOK_EVERY: Final = 5.0
_LONGEST: Final = 16_384


class WebTokenSettings(BaseModel):
    """Which tokens open the service, and who has one: decided here, never by a request."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    issuer: str = Field(min_length=1, description="Value of the claim `iss`.")
    audience: str = Field(min_length=1, description="Value of the claim `aud`.")
    jwks: Path = Field(description="File with the public keys; it is read again when it changes.")
    algorithms: tuple[Algorithm, ...] = Field(default=("RS256", "ES256", "EdDSA"), min_length=1)
    workspace: str | None = Field(default=None, description="The workspace of every token ...")
    workspace_claim: str | None = Field(default=None, description="... or the claim that names it.")
    user_claim: str = Field(default="sub", description="The claim that names the user.")
    groups_claim: str = Field(default="groups", description="The claim that lists the groups.")
    scopes_claim: str = Field(default="scope", description="The claim with the scopes.")
    most_scopes: tuple[KeyScope, ...] = Field(
        default=(KeyScope.READ, KeyScope.WRITE), description="The most that a token may allow."
    )
    leeway: float = Field(default=30.0, ge=0, le=300, description="Seconds that clocks may differ.")


class WebTokens:
    """Checks signed tokens against the public keys in a file; nothing is fetched from a network."""

    def __init__(self, settings: WebTokenSettings) -> None:
        if (settings.workspace is None) == (settings.workspace_claim is None):
            fix = "Set one of 'workspace' and 'workspace_claim'."
            raise InputError("the workspace of tokens is not known", place="jwt", fix=fix)
        self._jwt = _library()
        self._settings = settings
        self._keys: Mapping[str, Any] = {}
        self._stamp: object = None
        self._looked = float("-inf")
        self._read()

    def caller(self, token: str) -> Caller | None:
        """Who has this token; None if it is not valid here and now."""
        own = self._settings
        if len(token) > _LONGEST:
            return None
        try:
            header = self._jwt.get_unverified_header(token)
            key = self._now().get(str(header.get("kid", "")))
            if key is None or header.get("alg") not in own.algorithms:
                return None
            claims = self._jwt.decode(
                token,
                key,
                algorithms=[*own.algorithms],
                audience=own.audience,
                issuer=own.issuer,
                leeway=own.leeway,
                options={"require": ["exp", "iss", "aud"]},
            )
        except (self._jwt.PyJWTError, TypeError, ValueError):  # of a key of another kind, too
            return None
        return self._caller_of(claims)

    def _caller_of(self, claims: Mapping[str, Any]) -> Caller | None:
        own = self._settings
        workspace = own.workspace or claims.get(str(own.workspace_claim))
        user = claims.get(own.user_claim)
        if not (isinstance(workspace, str) and workspace and isinstance(user, str) and user):
            return None
        groups = frozenset(_words(claims.get(own.groups_claim)))
        wanted = {*_words(claims.get(own.scopes_claim))}
        scopes = frozenset(each for each in own.most_scopes if each.value in wanted)
        return Caller(Principal(workspace, user, groups), scopes, f"jwt:{user}")

    def _now(self) -> Mapping[str, Any]:
        now = time.monotonic()
        if now - self._looked >= _LOOK_EVERY:
            try:
                self._read()
            except InputError as error:
                logger("service").error("the public keys are as they were: %s", error)
        return self._keys

    def _read(self) -> None:
        self._looked = time.monotonic()
        place = self._settings.jwks
        try:
            status = place.stat()
            stamp = status.st_mtime_ns, status.st_size, status.st_ino
            if stamp == self._stamp:
                return
            found = self._jwt.PyJWKSet.from_json(place.read_text(encoding="utf-8"))
        except (OSError, ValueError, self._jwt.PyJWTError):
            fix = "Save the JWKS document of your identity provider there."
            problem = "this is not a file of public keys"
            raise InputError(problem, place="jwt.jwks", found=str(place), fix=fix) from None
        self._keys = {str(each.key_id): each for each in found.keys if each.key_type != "oct"}
        self._stamp = stamp


def _words(claim: object) -> list[str]:
    """The words of a claim: a list, or a text with spaces as OAuth has it."""
    if isinstance(claim, str):
        return claim.split()
    return [each for each in claim if isinstance(each, str)] if isinstance(claim, list) else []


def _library() -> Any:
    try:
        import jwt
    except ImportError:
        raise MissingExtraError("pyjwt", "service") from None
    return jwt
