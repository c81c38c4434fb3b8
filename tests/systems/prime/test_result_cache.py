"""Contexts are remembered by user and by everything that they depend on."""

from __future__ import annotations

import asyncio

import pytest
from pydantic import BaseModel

from biblicus_context.corpora import MemoryAnswerCache
from biblicus_context.systems.prime import ResultCache


class Built(BaseModel):
    number: int


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def cache(clock: Clock) -> ResultCache:
    return ResultCache(MemoryAnswerCache(3, clock), entries=3, seconds=30)


def get(cache: ResultCache, user: str, *names: str, version: object = 1, made: list[int]) -> int:
    async def build() -> Built:
        made.append(len(made))
        return Built(number=made[-1])

    texts = dict(zip(("thread", "message"), names, strict=False))
    return asyncio.run(cache.get_or_build(Built, user, texts, version, build)).number


def test_a_use_keeps_a_context_for_as_long_again(cache: ResultCache, clock: Clock):
    made: list[int] = []
    for clock.now in (0, 20, 40, 60):
        assert get(cache, "ann", "t", made=made) == 0
    clock.now = 90
    assert get(cache, "ann", "t", made=made) == 1
    assert cache.hit_rate == 3 / 5


def test_users_names_and_versions_are_kept_apart(cache: ResultCache):
    made: list[int] = []
    get(cache, "ann", "a/b", "c", made=made)
    assert get(cache, "ann", "a", "b/c", made=made) == 1
    assert get(cache, "ann", "a", "b/c", version=2, made=made) == 2


def test_the_least_recently_used_is_forgotten_first(cache: ResultCache):
    made: list[int] = []
    for name in ("a", "b", "c", "a", "d"):
        get(cache, "ann", name, made=made)
    assert get(cache, "ann", "a", made=made) == 0
    assert get(cache, "ann", "b", made=made) == 4


def test_a_user_whose_name_is_a_pattern_is_forgotten_alone(cache: ResultCache):
    made: list[int] = []
    for user in ("*", "ann"):
        get(cache, user, "t", made=made)
    asyncio.run(cache.forget_user("*"))
    assert get(cache, "ann", "t", made=made) == 1


def test_two_services_may_share_a_cache(clock: Clock):
    shared, made = MemoryAnswerCache(9, clock), list[int]()
    first, second = (ResultCache(shared, entries=3, seconds=30) for _ in range(2))
    assert get(first, "ann", "t", made=made) == get(second, "ann", "t", made=made) == 0


def test_what_every_result_depends_on_keeps_caches_apart(clock: Clock):
    shared, made = MemoryAnswerCache(9, clock), list[int]()

    def answer(scope: object) -> int:
        cache = ResultCache(shared, entries=3, seconds=30, scope=scope)
        return get(cache, "ann", "t", made=made)

    assert [answer(scope) for scope in ("plan", {"a": 1}, {"a": 2}, {"a": 1}, "plan")] == [
        0,
        1,
        2,
        1,
        0,
    ]
    assert answer([len]) != answer([len]), "a function may be another one in another process"
