"""A Redis server for the tests of this folder, and a namespace of its own for each test."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import pytest

from biblicus_context.shared_state import RedisServer
from tests.redis_fixture import ValkeyServer, running_valkey


@pytest.fixture(scope="session")
def valkey() -> Iterator[ValkeyServer]:
    with running_valkey() as server:
        yield server


@pytest.fixture
def redis(valkey: ValkeyServer) -> RedisServer:
    # Patient: a machine with much other work is slow, and these tests are not about that.
    return RedisServer(valkey.url, namespace=uuid4().hex, patience=5)


@pytest.fixture(scope="session")
def valkey_url(valkey: ValkeyServer) -> str:
    return valkey.url
