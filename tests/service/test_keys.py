"""Who is let in: keys, tokens, and this machine without either."""

from __future__ import annotations

import json
import logging
import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from biblicus_context.errors import InputError, LoadError, UnknownNameError
from biblicus_context.service import KeyFile, KeyScope, app
from tests.service.serving import client_of

LIST = "/v1/contexts"


def bearer(key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"}


def test_a_key_is_never_written_down(tmp_path: Path):
    keys = KeyFile(tmp_path / "keys.json")
    made = keys.create("acme", user="ann", scopes=(KeyScope.READ, KeyScope.WRITE), name="a laptop")
    text = keys.path.read_text("utf-8")
    secret = made.key.rpartition("_")[2]
    assert secret not in text
    assert made.known.id in text
    assert made.key not in repr(made.known)
    assert keys.path.stat().st_mode & 0o077 == 0


def test_a_key_opens_for_its_principal_alone(tmp_path: Path):
    keys = KeyFile(tmp_path / "keys.json")
    ann = keys.create("acme", user="ann", groups=("hr",)).key
    found = keys.caller(ann)
    assert found is not None
    assert (found.principal.workspace, found.principal.user) == ("acme", "ann")
    assert found.principal.groups == frozenset({"hr"})
    assert keys.caller(ann[:-1]) is None
    assert keys.caller(f"{ann}x") is None
    assert keys.caller("") is None


def test_an_expired_key_opens_nothing(tmp_path: Path):
    keys = KeyFile(tmp_path / "keys.json")
    gone = keys.create("acme", expires=datetime.now(UTC) - timedelta(seconds=1)).key
    assert keys.caller(gone) is None


def test_keys_are_rotated_without_a_restart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    served, changed = KeyFile(tmp_path / "keys.json"), KeyFile(tmp_path / "keys.json")
    monkeypatch.setattr("biblicus_context.service.keys._LOOK_EVERY", 0.0)
    old = changed.create("acme", user="ann")
    new = changed.create("acme", user="ann")
    assert served.caller(old.key) is not None
    assert served.caller(new.key) is not None
    changed.revoke(old.known.id)
    assert served.caller(old.key) is None
    assert served.caller(new.key) is not None
    with pytest.raises(UnknownNameError, match=old.known.id):
        changed.revoke(old.known.id)


def test_a_file_that_is_half_written_locks_nobody_out(tmp_path: Path, monkeypatch, caplog):
    keys = KeyFile(tmp_path / "keys.json")
    monkeypatch.setattr("biblicus_context.service.keys._LOOK_EVERY", 0.0)
    made = keys.create("acme")
    keys.path.write_text('{"keys": [{"id": "secret-text', "utf-8")
    assert keys.caller(made.key) is not None
    assert "secret-text" not in caplog.text
    with pytest.raises(LoadError, match="not a file of keys"):
        KeyFile(keys.path).check()


@pytest.mark.enable_socket
def test_a_service_with_keys_asks_for_one(plans: Path, tmp_path: Path):
    keys = KeyFile(tmp_path / "keys.json")
    reader = keys.create("acme", user="ann").key
    nothing = keys.create("acme", user="eve", scopes=(KeyScope.INSPECT,)).key
    with client_of(app(plans, keys=keys)) as client:
        refused = client.get(LIST)
        assert refused.status_code == 401
        assert refused.headers["www-authenticate"].startswith("Bearer")
        assert client.get(LIST, headers=bearer("bctx_aaaaaaaa_guess")).status_code == 401
        assert client.get(LIST, headers=bearer(reader)).status_code == 200
        assert client.get(LIST, headers={"x-api-key": reader}).status_code == 200
        assert client.get(f"{LIST}?key={reader}").status_code == 401
        missing = client.get(LIST, headers=bearer(nothing))
        assert missing.status_code == 403
        assert "'read'" in missing.json()["fix"]
        assert client.get("/healthz").status_code == 200
        assert (
            client.get(
                "/v1/contexts", headers={"host": "shop.example", **bearer(reader)}
            ).status_code
            == 200
        )


@pytest.mark.enable_socket
def test_failed_attempts_are_answered_more_and_more_slowly(plans: Path, tmp_path: Path):
    keys = KeyFile(tmp_path / "keys.json")
    made = keys.create("acme")
    with client_of(app(plans, keys=keys)) as client:
        seconds = []
        for number in range(6):
            began = time.perf_counter()
            assert client.get(LIST, headers=bearer(f"bctx_guess_{number}")).status_code == 401
            seconds.append(time.perf_counter() - began)
        assert seconds[5] > 0.35
        began = time.perf_counter()
        assert client.get(LIST, headers=bearer(made.key)).status_code == 200
        assert time.perf_counter() - began < 0.3


@pytest.mark.enable_socket
def test_nothing_of_a_key_or_a_text_is_in_the_log(plans: Path, tmp_path: Path, caplog):
    keys = KeyFile(tmp_path / "keys.json")
    made = keys.create("acme", user="ann").key
    caplog.set_level(logging.DEBUG)
    with client_of(app(plans, keys=keys)) as client:
        client.get(LIST, headers=bearer("bctx_stolen_secretguess"))
        client.post(
            "/v1/contexts/plain/assemble",
            headers=bearer(made),
            json={"inputs": {"name": "a private text"}, "budget": 1},
        )
    for private in (made, "secretguess", "a private text"):
        assert private not in caplog.text


def test_an_address_that_others_reach_needs_keys(plans: Path):
    from biblicus_context.service import ServeSettings, serve

    with pytest.raises(InputError, match="--keys FILE"):
        serve(ServeSettings(paths=(plans,), host="0.0.0.0"))


ISSUER, AUDIENCE = "https://id.example", "contexts"


@pytest.fixture
def signing(tmp_path: Path) -> tuple[Any, Path]:
    private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(private.public_key()))
    secret = {
        "kty": "oct",
        "kid": "shared",
        "k": "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3JldA",
        "alg": "HS256",
    }
    file = tmp_path / "jwks.json"
    file.write_text(
        json.dumps({"keys": [{**public, "kid": "one", "alg": "RS256"}, secret]}), "utf-8"
    )
    return private, file


def token(private: Any, *, kid: str = "one", algorithm: str = "RS256", **claims: Any) -> str:
    own = {
        "iss": ISSUER, "aud": AUDIENCE, "sub": "ann", "org": "acme", "scope": "read write admin",
        "exp": int(time.time()) + 60, **claims,
    }  # fmt: skip
    own = {name: each for name, each in own.items() if each is not None}
    return jwt.encode(own, private, algorithm=algorithm, headers={"kid": kid})


def test_a_token_is_a_principal_by_the_configuration(signing: tuple[Any, Path]):
    from biblicus_context.service.web_tokens import WebTokens, WebTokenSettings

    private, file = signing
    settings = {"issuer": ISSUER, "audience": AUDIENCE, "jwks": file, "workspace_claim": "org"}
    tokens = WebTokens(WebTokenSettings.model_validate(settings))
    found = tokens.caller(token(private, groups=["hr"]))
    assert found is not None
    assert (found.principal.workspace, found.principal.user) == ("acme", "ann")
    assert found.principal.groups == frozenset({"hr"})
    assert found.scopes == frozenset(
        {KeyScope.READ, KeyScope.WRITE}
    )  # admin is more than tokens may have
    other = ec.generate_private_key(ec.SECP256R1())
    wrong = [
        token(private, iss="https://other.example"),
        token(private, aud="other"),
        token(private, exp=int(time.time()) - 120),
        token(private, exp=None),
        token(private, sub=None),
        token(private, org=None),
        token(private, nbf=int(time.time()) + 600),
        token(private, kid="two"),
        token(other, algorithm="ES256"),
        token("secret-secret-secret-secret-secret", kid="shared", algorithm="HS256"),
        jwt.encode({"sub": "ann"}, None, algorithm="none", headers={"kid": "one"}),
        token(private)[:-4],
        "x.y.z",
        "a" * 100_000,
    ]
    assert [tokens.caller(each) for each in wrong] == [None] * len(wrong)


def test_a_workspace_of_tokens_has_to_be_known(signing: tuple[Any, Path]):
    from biblicus_context.service.web_tokens import WebTokens, WebTokenSettings

    settings = {"issuer": ISSUER, "audience": AUDIENCE, "jwks": signing[1]}
    with pytest.raises(InputError, match="workspace_claim"):
        WebTokens(WebTokenSettings.model_validate(settings))


@pytest.mark.enable_socket
def test_keys_and_tokens_may_be_used_together(plans: Path, tmp_path: Path, signing):
    private, file = signing
    keys = KeyFile(tmp_path / "keys.json")
    made = keys.create("acme").key
    text = f"jwt: {{issuer: {ISSUER}, audience: {AUDIENCE}, jwks: {file.name}, workspace: acme}}\n"
    (tmp_path / "service.yaml").write_text(text, "utf-8")
    with client_of(app(plans, keys=keys, settings=tmp_path / "service.yaml")) as client:
        for each in (made, token(private)):
            assert client.get(LIST, headers=bearer(each)).status_code == 200
        assert client.get(LIST, headers=bearer(token(private, aud="x"))).status_code == 401


def test_a_misspelt_setting_is_named(plans: Path, tmp_path: Path):
    (tmp_path / "service.yaml").write_text("limits: {budgett: 3}\n", "utf-8")
    with pytest.raises(InputError, match=r"limits\.budgett"):
        app(plans, settings=tmp_path / "service.yaml")
    assert os.environ.get("BIBLICUS_CONTEXT_SERVE") is None
