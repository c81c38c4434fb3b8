"""Answers and vectors in Redis: bounded, of one tenant each, and skipped while the server is away."""

from __future__ import annotations

import logging
import os
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st
from redis import Redis

from biblicus_context.corpora import AnswerCache, Corpus, MemoryAnswerCache, SteadyCache
from biblicus_context.embedders import CachedEmbedder, FunctionEmbedder
from biblicus_context.errors import InputError
from biblicus_context.retrieval.requests.request import ContextRetrieverRequest
from biblicus_context.shared_state import (
    LOOKUPS,
    RedisAnswerCache,
    RedisServer,
    RedisVectors,
    redis_server,
)
from biblicus_context.spec.corpus import CorpusDeclaration
from biblicus_context.stores import Principal, StoreError, key_start
from tests.redis_fixture import ValkeyServer, running_valkey

ANA, BO = key_start("ana"), key_start("bo")


def test_a_value_is_there_for_its_time(redis: RedisServer):
    cache = RedisAnswerCache(redis)
    cache.put(f"{ANA}a", b"1", 60)
    cache.put(f"{ANA}b", b"2", 0.001)
    time.sleep(0.01)
    assert cache.get(f"{ANA}a") == b"1"
    assert cache.get(f"{ANA}b") is None


def test_a_value_is_seen_by_another_connection(valkey: ValkeyServer, redis: RedisServer):
    RedisAnswerCache(redis).put("k", b"\x00\xff", 60)
    other = RedisServer(valkey.url, namespace=redis.namespace, patience=5)
    assert RedisAnswerCache(other).get("k") == b"\x00\xff"
    elsewhere = RedisServer(valkey.url, namespace="another", patience=5)
    assert RedisAnswerCache(elsewhere).get("k") is None


def test_the_oldest_values_of_a_workspace_go_first_and_those_of_others_stay(redis: RedisServer):
    cache = RedisAnswerCache(redis, max_entries=3)
    cache.put(f"{BO}0", b"bo", 60)
    for number in range(5):
        cache.put(f"{ANA}{number}", b"ana", 60)
    kept = [number for number in range(5) if cache.get(f"{ANA}{number}")]
    assert kept == [2, 3, 4]
    assert cache.get(f"{BO}0") == b"bo"


def test_what_is_too_long_is_not_kept(redis: RedisServer):
    cache = RedisAnswerCache(redis)
    cache.put(f"{ANA}long", b"x" * (1024 * 1024 + 1), 60)
    cache.put(f"{ANA}{'k' * 10_000}", b"x", 60)
    assert cache.get(f"{ANA}long") is cache.get(f"{ANA}{'k' * 10_000}") is None


KEYS = st.text(alphabet="ab|*?[]/\\\ud800é", max_size=6)


@settings(max_examples=30)
@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("put"), st.sampled_from([ANA, BO, ""]), KEYS),
            st.tuples(st.just("forget"), st.sampled_from([ANA, BO, "", "*"]), KEYS),
        ),
        max_size=12,
    )
)
def test_it_is_the_cache_of_one_process_that_several_share(
    valkey_url: str, steps: Sequence[tuple[str, str, str]]
):
    server = RedisServer(valkey_url, namespace=os.urandom(8).hex(), patience=5)
    caches: list[AnswerCache] = [MemoryAnswerCache(1_000), RedisAnswerCache(server)]
    for at, (act, start, key) in enumerate(steps):
        if act == "put":
            for cache in caches:
                cache.put(start + key, str(at).encode(), 60)
        else:
            one, other = (cache.invalidate(start + key) for cache in caches)
            assert one == other
        for _, begins, name in steps:
            one_value, other_value = (cache.get(begins + name) for cache in caches)
            assert one_value == other_value


@settings(max_examples=30)
@given(
    st.lists(st.tuples(st.sampled_from(["ana", "bo", "an"]), st.sampled_from("xyz")), max_size=8)
)
def test_no_workspace_gets_the_vectors_of_another(
    valkey_url: str, asked: Sequence[tuple[str, str]]
):
    server = RedisServer(valkey_url, namespace=os.urandom(8).hex(), patience=5)
    seen = set[tuple[str, str]]()
    for workspace, text in asked:
        made = list[str]()

        def embed(texts: Sequence[str], made: list[str] = made) -> list[list[float]]:
            made.extend(texts)
            return [[1.0, float(len(each))] for each in texts]

        embedder = FunctionEmbedder(embed, model="m", dimensions=2)
        # A process of its own each time: nothing is remembered but in the server.
        cached = CachedEmbedder(embedder, query_memory=RedisVectors(server, workspace))
        cached.embed_query(text)
        assert made == ([] if (workspace, text) in seen else [text])
        seen.add((workspace, text))


@settings(max_examples=30)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["ana", "bo", "an"]), st.sampled_from(["put", "get", "gone"]), KEYS
        ),
        max_size=15,
    )
)
def test_nothing_of_one_workspace_is_read_or_removed_by_another(
    valkey_url: str, steps: Sequence[tuple[str, str, str]]
):
    server = RedisServer(valkey_url, namespace=os.urandom(8).hex(), patience=5)
    cache = RedisAnswerCache(server)
    known = dict[tuple[str, str], bytes]()
    for at, (workspace, act, key) in enumerate(steps):
        if act == "put":
            known[workspace, key] = f"{workspace} {at}".encode()
            cache.put(key_start(workspace) + key, known[workspace, key], 60)
        elif act == "gone":
            known = {each: value for each, value in known.items() if each[0] != workspace}
            cache.invalidate(f"{key_start(workspace)}*")
        for whose in ("ana", "bo", "an"):
            assert cache.get(key_start(whose) + key) == known.get((whose, key))


def test_vectors_of_another_model_or_of_a_wrong_shape_are_unknown(redis: RedisServer):
    vectors = RedisVectors(redis, "ana")
    vectors.remember("m", {b"k": b"\0\0\x80\x3f"})
    assert vectors.remembered("m", [b"k", b"l"]) == {b"k": b"\0\0\x80\x3f"}
    assert vectors.remembered("other", [b"k"]) == {}


def test_hits_of_all_processes_are_counted(redis: RedisServer):
    cache = RedisAnswerCache(redis)
    cache.get("k")
    cache.put("k", b"1", 60)
    cache.get("k")
    RedisAnswerCache(redis).get("k")
    assert cache.counts() == {"hits": 2, "misses": 1}


def test_what_a_process_finds_is_told_to_who_counts_it(redis: RedisServer):
    class Counting:
        def __init__(self) -> None:
            self.seen: list[tuple[str, int, int]] = []

        def looked_up(self, kind: str, hits: int, misses: int) -> None:
            self.seen.append((kind, hits, misses))

    counting, cache = Counting(), RedisAnswerCache(redis)
    LOOKUPS.watch(counting.looked_up)
    cache.get("k")
    cache.put("k", b"1", 60)
    cache.get("k")
    vectors = RedisVectors(redis, "acme")
    vectors.remember("m", {b"a": b"1234"})
    vectors.remembered("m", [b"a", b"b", b"c"])
    assert counting.seen == [("answers", 0, 1), ("answers", 1, 0), ("vectors", 1, 2)]


def test_keys_of_a_corpus_name_neither_its_folder_nor_who_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(redis_server, "PATIENCE", 5.0)  # a busy machine skips nothing here
    folder = tmp_path / "secret-project"
    folder.mkdir()
    (folder / "tea.md").write_text("Green tea is brewed for two minutes.", "utf-8")
    who = Principal("secret-workspace", user="secret-user")
    with running_valkey() as valkey:
        config = {"root": str(folder), "cache": valkey.url, "embedder": "wordllama"}
        with Corpus.open(CorpusDeclaration(name="kb", config=config), principal=who) as corpus:
            corpus.ingest()
            retriever = corpus.retriever({"retriever_id": "hybrid", "cache": {"ttl_seconds": 60}})
            for _ in range(2):
                assert retriever(ContextRetrieverRequest(query="How long is tea brewed?")).blocks
            assert retriever.answers is not None
            assert retriever.answers.counts.hits == 1
        with Redis.from_url(valkey.url) as client:
            named = [*client.keys("*")]
            for key in [*named]:
                if client.type(key) == b"hash":
                    named += [*client.hkeys(key)]
        assert any(b"answers" in each for each in named)
        assert not [each for each in named if b"secret" in each]


def test_an_evicted_half_of_the_values_is_no_value(valkey: ValkeyServer, redis: RedisServer):
    """A server that is full removes keys: what is left of their values is never an answer."""
    cache = RedisAnswerCache(redis, max_entries=2)
    cache.put("a", b"1", 60)
    with Redis.from_url(valkey.url) as client:
        ends = [each for each in client.keys(f"{redis.namespace}*") if each.endswith(b":ends")]
        client.delete(*ends)
    assert cache.get("a") is None
    cache.put("b", b"2", 60)
    assert (cache.get("a"), cache.get("b")) == (None, b"2")


def test_keys_hold_no_secret_and_texts_only_where_their_answers_are(
    valkey: ValkeyServer, redis: RedisServer
):
    vectors = RedisVectors(redis, "secret workspace")
    vectors.remember("m", {b"k": b"1234"})
    with Redis.from_url(valkey.url) as client:
        for each in client.keys(f"{redis.namespace}*"):
            assert b"secret" not in each


def test_an_url_of_another_kind_is_refused_and_not_repeated():
    with pytest.raises(InputError) as error:
        RedisServer("http://me:secret@cache.example")
    assert "secret" not in str(error.value)
    assert "secret" not in repr(RedisServer("redis://me:secret@cache.example"))


@contextmanager
def stopped(server: ValkeyServer) -> Iterator[None]:
    """A server that takes connections and answers nothing."""
    os.kill(server.process_id, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(server.process_id, signal.SIGCONT)


def test_a_server_that_hangs_is_skipped_with_one_warning_and_tried_again(
    caplog: pytest.LogCaptureFixture,
):
    with running_valkey() as server, caplog.at_level(logging.INFO, "biblicus_context"):
        redis = RedisServer(server.url)
        cache = SteadyCache(RedisAnswerCache(redis), 1)
        vectors = RedisVectors(redis, "ana")
        embedder = FunctionEmbedder(lambda texts: [[1.0] for _ in texts], model="m", dimensions=1)
        for _ in range(100):  # a slow machine may need more than 50 milliseconds at first
            cache.put("k", b"1", 60)
            if cache.get("k") == b"1":
                break
            time.sleep(0.1)
        caplog.clear()
        with stopped(server):
            began = time.monotonic()
            for _ in range(50):
                assert cache.get("k") is None
                CachedEmbedder(embedder, query_memory=vectors).embed_query("q")
            assert time.monotonic() - began < 2
            with pytest.raises(StoreError, match="answer cache RedisAnswerCache failed"):
                cache.invalidate("k*")
        for _ in range(200):
            time.sleep(0.05)
            if cache.get("k") == b"1":
                break
        said = [each.getMessage() for each in caplog.records if each.levelno >= logging.WARNING]
        assert cache.get("k") == b"1"
        assert len(said) == 1
        assert "the cache RedisServer failed" in said[0]


def test_a_server_that_was_restarted_works_again():
    with running_valkey() as server:
        redis = RedisServer(server.url, patience=5)
        cache = RedisAnswerCache(redis)
        cache.put("k", b"1", 60)
        server.kill()
        with pytest.raises(Exception):  # noqa: B017, PT011 - of the library; the caller skips it
            cache.get("k")
        server.start()
        assert cache.get("k") is None
        cache.put("k", b"2", 60)
        assert cache.get("k") == b"2"
