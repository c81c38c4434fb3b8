"""What several workers know together, through a real Redis server: keys of repeated requests, and rates."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event

import httpx
import pytest

from biblicus_context.corpora import Corpus
from biblicus_context.service import KeyFile, KeyScope, app
from tests.redis_fixture import ValkeyServer, running_valkey
from tests.service.serving import client_of

pytestmark = pytest.mark.enable_socket
PLAN = """
kind: context
name: quick
messages: [{type: user, content: Hello.}]
"""
WRITE = "/v1/corpora/notes/documents/a"
LIST = "/v1/contexts"
SCOPES = (KeyScope.READ, KeyScope.WRITE, KeyScope.INSPECT)


@pytest.fixture(scope="module")
def valkey() -> Iterator[ValkeyServer]:
    with running_valkey() as server:
        yield server


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine may take longer than a request waits for a rate."""
    monkeypatch.setattr("biblicus_context.service.guards._PATIENCE", 30.0)


@contextmanager
def workers(
    place: Path, server: ValkeyServer, *, kind: type[Corpus] = Corpus, **limits: int
) -> Iterator[list[httpx.Client]]:
    """Two workers over the same plans, keys and stores, each with a client that has a key."""
    (place / "plan.yaml").write_text(PLAN, "utf-8")
    keys = place / "keys.json"
    headers = {"x-api-key": KeyFile(keys).create(str(place), user="ann", scopes=SCOPES).key}
    with ExitStack() as stack:

        def client() -> httpx.Client:
            corpus = stack.enter_context(kind.open_records(place / "store", name="notes"))
            settings = {"redis": server.url, "limits": limits}
            made = app(
                place / "plan.yaml", keys=keys, settings=settings, corpora={"notes": corpus},
                is_alone=False,
            )  # fmt: skip
            return stack.enter_context(client_of(made, headers=headers))

        yield [client(), client()]


def test_a_write_that_is_repeated_at_another_worker_is_done_once(
    tmp_path: Path, valkey: ValkeyServer
):
    with workers(tmp_path, valkey) as (one, other):
        headers = {"idempotency-key": "k-1"}
        first = one.put(WRITE, json={"text": "One."}, headers=headers)
        again = other.put(WRITE, json={"text": "One."}, headers=headers)
        assert (first.status_code, again.status_code) == (200, 200)
        assert again.content == first.content
        assert again.headers["idempotency-replayed"] == "true"
        different = other.put(WRITE, json={"text": "Two."}, headers=headers)
        assert different.status_code == 422
        assert one.get(WRITE).json()["text"] == "One."


class SlowCorpus(Corpus):
    """A corpus whose writes wait until they are let go."""

    began, go = Event(), Event()

    def put(self, *given, **options):
        self.began.set()
        self.go.wait(30)
        return super().put(*given, **options)


def test_a_write_that_another_worker_is_doing_is_not_begun(tmp_path: Path, valkey: ValkeyServer):
    with (
        workers(tmp_path, valkey, kind=SlowCorpus) as (one, other),
        ThreadPoolExecutor(1) as thread,
    ):
        headers = {"idempotency-key": "k-2"}
        sent = thread.submit(lambda: one.put(WRITE, json={"text": "x"}, headers=headers))
        assert SlowCorpus.began.wait(30)
        meanwhile = other.put(WRITE, json={"text": "x"}, headers=headers)
        assert (meanwhile.status_code, meanwhile.headers["retry-after"]) == (409, "1")
        SlowCorpus.go.set()
        assert sent.result().status_code == 200
        later = other.put(WRITE, json={"text": "x"}, headers=headers)
        assert later.headers["idempotency-replayed"] == "true"


def test_a_rate_is_of_all_workers_together(tmp_path: Path, valkey: ValkeyServer):
    with workers(tmp_path, valkey, requests_a_minute=4) as (one, other):
        asked = [each.get(LIST).status_code for each in (one, other, one, other, one, other)]
        assert asked == [200] * 4 + [429] * 2


def test_without_the_server_a_write_is_refused_that_might_be_done_twice(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    with running_valkey() as server, workers(tmp_path, server, requests_a_minute=100) as (one, _):
        server.kill()
        refused = one.put(WRITE, json={"text": "One."}, headers={"idempotency-key": "k-3"})
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
        assert one.get(LIST).status_code == 200  # rates are counted by each worker meanwhile
        assert one.put(WRITE, json={"text": "One."}).status_code == 200
        server.start()
        done = one.put(WRITE, json={"text": "One."}, headers={"idempotency-key": "k-3"})
        assert done.status_code == 200
    assert str(server.socket) not in caplog.text
