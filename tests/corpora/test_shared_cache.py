"""A corpus that declares a `cache` shares answers and vectors of questions with other processes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from redis import Redis

from biblicus_context import Record
from biblicus_context.cli.main import main
from biblicus_context.corpora import Corpus, CorpusRetriever
from biblicus_context.embedders import FunctionEmbedder
from biblicus_context.errors import ContextError
from biblicus_context.retrieval.requests.request import ContextRetrieverRequest
from biblicus_context.spec.corpus import CorpusDeclaration
from biblicus_context.stores import Principal
from tests.redis_fixture import ValkeyServer, running_valkey

KEYWORD = {"retriever_id": "keyword", "cache": {"ttl_seconds": 60}}
ANN = Principal("ann")


@pytest.fixture(scope="module")
def valkey() -> Iterator[ValkeyServer]:
    with running_valkey() as server:
        yield server


@pytest.fixture
def url(valkey: ValkeyServer, monkeypatch: pytest.MonkeyPatch) -> str:
    # These tests are not about a slow server, and this machine may be slow.
    monkeypatch.setattr("biblicus_context.shared_state.redis_server.PATIENCE", 5.0)
    with Redis.from_url(valkey.url) as client:
        client.flushall()
    return valkey.url


def opened(place: Path, url: str, made: list[str] | None = None) -> Corpus:
    """The corpus as one more process has it open, but for the server, which has no process of its own."""

    def embed(texts: Sequence[str]) -> list[list[float]]:
        if made is not None:
            made.extend(texts)
        return [[1.0, len(text) / 100] for text in texts]

    declared = CorpusDeclaration(name="kb", config={"store": str(place), "cache": url})
    embedder = FunctionEmbedder(embed, model="m", dimensions=2)
    return Corpus.open(declared, principal=ANN, embedder=embedder)


def answer(retriever: CorpusRetriever, query: str = "green tea") -> list[str]:
    pack = retriever(ContextRetrieverRequest(query=query, limit=3))
    return [block.text for block in pack.blocks]


def hits(retriever: CorpusRetriever) -> int:
    assert retriever.answers is not None
    return retriever.answers.counts.hits


def test_an_answer_of_one_process_is_remembered_by_another(tmp_path: Path, url: str):
    with opened(tmp_path, url) as one, opened(tmp_path, url) as other:
        one.put([Record(id="tea", text="Green tea wants 80 degrees.")])
        first, second = one.retriever(KEYWORD), other.retriever(KEYWORD)
        assert answer(first) == answer(second) == ["Green tea wants 80 degrees."]
        assert (hits(first), hits(second)) == (0, 1)


def test_another_principal_gets_no_answer_of_it(tmp_path: Path, url: str):
    with opened(tmp_path, url) as corpus:
        corpus.put([Record(id="tea", text="Green tea wants 80 degrees.")])
        answer(corpus.retriever(KEYWORD))
        bob = corpus.for_principal(Principal("bob")).retriever(KEYWORD)
        assert (answer(bob), hits(bob)) == ([], 0)


def test_a_write_is_never_missed(tmp_path: Path, url: str):
    with opened(tmp_path, url) as one, opened(tmp_path, url) as other:
        one.put([Record(id="tea", text="Green tea wants 80 degrees.")])
        answer(one.retriever(KEYWORD))
        one.put([Record(id="tea", text="Green tea wants 70 degrees.")])
        assert answer(other.retriever(KEYWORD)) == ["Green tea wants 70 degrees."]


def test_what_is_removed_is_in_the_server_no_more(tmp_path: Path, url: str):
    """Also if the program that removes it never searched."""
    with opened(tmp_path, url) as one:
        one.put([Record(id="tea", text="Green tea wants 80 degrees.")])
        answer(one.retriever(KEYWORD))
    with Redis.from_url(url) as client:
        assert any(b"80 degrees" in value for value in contents(client))
        with opened(tmp_path, url) as other:
            other.remove(["tea"])
        assert not any(b"80 degrees" in value for value in contents(client))


def contents(client: Redis) -> list[bytes]:
    keys = [key for key in client.scan_iter() if client.type(key) == b"hash"]
    return [value for key in keys for value in client.hgetall(key).values()]


def test_a_question_is_embedded_once_for_a_workspace_and_again_for_another(
    tmp_path: Path, url: str
):
    made = list[str]()
    vector = {"retriever_id": "vector"}
    with opened(tmp_path, url, made) as one, opened(tmp_path, url, made) as other:
        one.put([Record(id="tea", text="Green tea wants 80 degrees.")])
        made.clear()
        assert answer(one.retriever(vector)) == answer(other.retriever(vector))
        assert made == ["green tea"]
        bob = other.for_principal(Principal("bob"))
        bob.put([Record(id="tea", text="Green tea wants 80 degrees.")])
        made.clear()
        answer(bob.retriever(vector))
        assert made == ["green tea"]


def test_while_the_server_is_away_everything_works(tmp_path: Path):
    with opened(tmp_path, f"unix://{tmp_path}/nowhere.sock") as corpus:
        corpus.put([Record(id="tea", text="Green tea wants 80 degrees.")])
        retriever = corpus.retriever(KEYWORD)
        assert answer(retriever) == answer(retriever) == ["Green tea wants 80 degrees."]
        assert corpus.index.cache_counts == {}
        assert corpus.remove(["tea"]).remembered_in == ("RedisAnswerCache",)


def test_info_has_the_hit_rate(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "contexts").mkdir()
    plan = (
        "kind: corpus\nname: kb\nconfig: {store: ../kb, embedder: null, cache: 'connection:kb'}\n"
    )
    (tmp_path / "contexts" / "kb.yaml").write_text(plan, "utf-8")
    monkeypatch.setenv("BIBLICUS_CONTEXT_CONNECTION_KB", url)
    monkeypatch.chdir(tmp_path)
    with opened(tmp_path / "kb", url) as corpus:
        corpus.put([Record(id="tea", text="Green tea wants 80 degrees.")])
        for _ in range(4):
            answer(corpus.retriever(KEYWORD))
    assert main(["corpus", "info", "kb", "--workspace", "ann"]) == 0
    assert "answers: 75 % of 4 requests in seven days found there" in capsys.readouterr().out


def test_a_password_in_a_plan_is_refused_and_not_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    plan = "kind: corpus\nname: kb\nconfig: {store: kb, cache: 'redis://:hush@cache.example'}\n"
    (tmp_path / "kb.yaml").write_text(plan, "utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["lint", ".", "--format", "json"]) != 0
    printed = capsys.readouterr().out
    assert "a cache is redis://HOST:PORT/DATABASE without a password" in printed
    assert "hush" not in printed
    declared = CorpusDeclaration(name="kb", config={"cache": "redis://:hush@cache.example"})
    with pytest.raises(ContextError) as error:
        Corpus.open(declared)
    assert "hush" not in str(error.value)
