"""Claims and rates are the same in the memory of a process and in Redis."""

from __future__ import annotations

import multiprocessing
from uuid import uuid4

import pytest
from hypothesis import given, settings, strategies as st

from biblicus_context.shared_state import (
    Claims,
    MemoryClaims,
    MemoryRates,
    Rates,
    RedisClaims,
    RedisRates,
    RedisServer,
)
from tests.redis_fixture import ValkeyServer, running_valkey


@pytest.fixture(params=["memory", "redis"])
def claims(request: pytest.FixtureRequest, redis: RedisServer) -> Claims:
    return MemoryClaims() if request.param == "memory" else RedisClaims(redis)


@pytest.fixture(params=["memory", "redis"])
def rates(request: pytest.FixtureRequest, redis: RedisServer) -> Rates:
    return MemoryRates() if request.param == "memory" else RedisRates(redis)


def test_a_request_is_done_once_and_its_answer_is_returned_again(claims: Claims):
    first = claims.claim("ana", "k1", "POST /a", seconds=60)
    assert first.state == "new"
    assert claims.claim("ana", "k1", "POST /a", seconds=60).state == "running"
    assert claims.finish("ana", "k1", first.token, b"made", seconds=60)
    again = claims.claim("ana", "k1", "POST /a", seconds=60)
    assert (again.state, again.answer) == ("done", b"made")


def test_a_key_that_is_used_for_another_request_is_reported(claims: Claims):
    claims.claim("ana", "k1", "POST /a", seconds=60)
    assert claims.claim("ana", "k1", "POST /b", seconds=60).state == "other"


def test_a_key_of_another_owner_is_another_key(claims: Claims):
    claims.claim("ana", "k1", "POST /a", seconds=60)
    assert claims.claim("bo", "k1", "POST /a", seconds=60).state == "new"
    assert claims.claim("an", "ak1", "POST /a", seconds=60).state == "new"


def test_a_released_claim_is_free_and_a_finished_one_is_not(claims: Claims):
    first = claims.claim("ana", "k1", "POST /a", seconds=60)
    claims.release("ana", "k1", "not the token")
    assert claims.claim("ana", "k1", "POST /a", seconds=60).state == "running"
    claims.release("ana", "k1", first.token)
    second = claims.claim("ana", "k1", "POST /a", seconds=60)
    assert second.state == "new"
    assert not claims.finish("ana", "k1", first.token, b"late", seconds=60)
    assert claims.finish("ana", "k1", second.token, b"", seconds=60)
    claims.release("ana", "k1", second.token)
    assert claims.claim("ana", "k1", "POST /a", seconds=60).answer == b""


def test_a_claim_ends_by_itself(claims: Claims):
    claims.claim("ana", "k1", "POST /a", seconds=0.001)
    states = {claims.claim("ana", "k1", "POST /a", seconds=0.001).state for _ in range(2_000)}
    assert "new" in states


def test_an_answer_that_is_too_long_is_known_to_have_been_given(claims: Claims):
    first = claims.claim("ana", "k1", "POST /a", seconds=60)
    assert claims.finish("ana", "k1", first.token, b"x" * (1024 * 1024 + 1), seconds=60)
    again = claims.claim("ana", "k1", "POST /a", seconds=60)
    assert (again.state, again.answer) == ("done", None)


def _claimed(url: str, namespace: str) -> str:
    claims = RedisClaims(RedisServer(url, namespace=namespace, patience=5))
    return claims.claim("ana", "k1", "POST /a", seconds=60).state


def test_of_several_processes_one_gets_the_request(valkey: ValkeyServer):
    namespace = uuid4().hex
    with multiprocessing.get_context("fork").Pool(2) as pool:
        states = pool.starmap(_claimed, [(valkey.url, namespace)] * 8)
    assert sorted(states) == ["new", *["running"] * 7]


def test_requests_beyond_the_rate_are_told_when_to_come_again(rates: Rates):
    taken = [rates.take("ana", "search", limit=3, seconds=3_000) for _ in range(4)]
    assert [each.is_allowed for each in taken] == [True, True, True, False]
    assert [each.remaining for each in taken] == [2, 1, 0, 0]
    assert 990 < taken[3].retry_after <= 1_000
    assert rates.take("bo", "search", limit=3, seconds=3_000).remaining == 2


def test_requests_come_back_one_by_one(rates: Rates):
    assert rates.take("ana", "search", limit=2, seconds=0.002).is_allowed
    later = [rates.take("ana", "search", limit=2, seconds=0.002) for _ in range(1_000)]
    assert sum(each.is_allowed for each in later) > 2


@given(st.lists(st.floats(0, 5), max_size=30), st.integers(1, 5))
def test_no_window_has_more_requests_than_twice_the_limit_and_idle_callers_get_all(
    waits: list[float], limit: int
):
    now = 1000.0
    rates = MemoryRates(clock=lambda: now)
    allowed = list[float]()
    for wait in waits:
        now += wait
        if rates.take("ana", "x", limit=limit, seconds=2).is_allowed:
            allowed.append(now)
    for begin in allowed:
        assert sum(begin <= each < begin + 2 for each in allowed) <= 2 * limit
    now += 2
    assert all(rates.take("ana", "x", limit=limit, seconds=2).is_allowed for _ in range(limit))


@settings(max_examples=20)
@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), st.sampled_from("kl"), st.integers(0, 3)), max_size=25
    )
)
def test_claims_in_redis_behave_as_those_in_memory(
    valkey_url: str, steps: list[tuple[str, str, int]]
):
    server = RedisServer(valkey_url, namespace=uuid4().hex, patience=5)
    one, other = MemoryClaims(), RedisClaims(server)
    tokens: dict[tuple[str, str], tuple[str, str]] = {}
    for owner, key, act in steps:
        mine, theirs = tokens.get((owner, key), ("", ""))
        if act < 2:
            first, second = (each.claim(owner, key, str(act), seconds=60) for each in (one, other))
            assert (first.state, first.answer) == (second.state, second.answer)
            if first.state == "new":
                tokens[owner, key] = first.token, second.token
        elif act == 2:
            assert one.finish(owner, key, mine, b"done", seconds=60) == other.finish(
                owner, key, theirs, b"done", seconds=60
            )
        else:
            one.release(owner, key, mine)
            other.release(owner, key, theirs)


def test_while_the_server_is_down_each_process_keeps_its_own():
    with running_valkey() as server:
        redis = RedisServer(server.url)
        claims, rates = RedisClaims(redis), RedisRates(redis)
        server.kill()
        first = claims.claim("ana", "k1", "POST /a", seconds=60)
        assert first.state == "new"
        assert claims.claim("ana", "k1", "POST /a", seconds=60).state == "running"
        assert claims.finish("ana", "k1", first.token, b"made", seconds=60)
        assert claims.claim("ana", "k1", "POST /a", seconds=60).answer == b"made"
        taken = [rates.take("ana", "x", limit=1, seconds=1_000).is_allowed for _ in range(2)]
        assert taken == [True, False]
        server.start()
