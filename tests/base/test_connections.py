"""A plan names servers by URLs without passwords, or by connections of the environment."""

from __future__ import annotations

import pytest

from biblicus_context.base.connections import connection_problem, connection_url
from biblicus_context.errors import PlanError, UnknownNameError


def test_a_named_connection_is_in_the_environment(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("BIBLICUS_CONTEXT_CONNECTION_MY_CACHE", "redis://:secret@cache.example")
    url = connection_url("connection:my-cache", ["redis"], place="corpus 'kb'")
    assert url == "redis://:secret@cache.example"


def test_an_unknown_connection_is_an_error_with_the_known_names(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("BIBLICUS_CONTEXT_CONNECTION_CACHE", "redis://:secret@cache.example")
    with pytest.raises(UnknownNameError, match="cache") as error:
        connection_url("connection:cach", ["redis"], place="corpus 'kb'")
    assert "secret" not in str(error.value)


def test_a_connection_to_another_kind_of_server_is_an_error(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("BIBLICUS_CONTEXT_CONNECTION_CACHE", "postgresql://me:secret@db.example")
    with pytest.raises(PlanError, match="does not start with redis://") as error:
        connection_url("connection:cache", ["redis"], place="corpus 'kb'")
    assert "secret" not in str(error.value)


@pytest.mark.parametrize(
    "url",
    [
        "redis://:secret@host",
        "redis://me:secret@host/0",
        "redis://me:se/cret@host",
        "redis://host?Password=secret",
    ],
)
def test_a_password_in_a_plan_is_refused_and_not_repeated(url: str):
    with pytest.raises(PlanError, match="a plan holds no passwords") as error:
        connection_url(url, ["redis"], place="corpus 'kb'")
    assert "cret" not in str(error.value)


@pytest.mark.parametrize(
    "url", ["redis://host", "redis://me@host:6379/0", "redis://[::1]:6379/0", "connection:a_b-c"]
)
def test_an_address_without_a_password_is_fine(url: str):
    assert connection_problem(url, ["redis"]) is None


@pytest.mark.parametrize(
    "url", ["", "host", "http://host", "connection:", "connection:a b", "rediss"]
)
def test_what_names_no_server_is_an_error(url: str):
    assert connection_problem(url, ["redis"]) is not None
