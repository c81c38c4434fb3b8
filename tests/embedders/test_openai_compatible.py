"""A server of the embeddings protocol, and every usual way in which it fails."""

from __future__ import annotations

import gzip
import json
import os
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from biblicus_context.embedders import OpenAICompatibleEmbedder
from biblicus_context.embedders.posting import Retries
from biblicus_context.errors import EmbedderError, InputError
from tests.embedders import fake_server as fake
from tests.embedders.fake_server import FakeServer, answer, status

pytestmark = pytest.mark.enable_socket


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with fake.fake_server() as running:
        yield running


class Waits(list[float]):
    """Keeps how long was waited, and does not wait."""


@pytest.fixture
def waits() -> Waits:
    return Waits()


@pytest.fixture
def seconds() -> float:
    """What a server has for an answer."""
    return 30


@pytest.fixture
def embedder(
    server: FakeServer, waits: Waits, seconds: float
) -> Iterator[OpenAICompatibleEmbedder]:
    retries = Retries(attempts=3, first_wait=0.5, sleep=waits.append)
    with OpenAICompatibleEmbedder(
        "m",
        dimensions=4,
        base_url=server.url,
        api_key="secret-key",
        batch_size=3,
        timeout_seconds=seconds,
        retries=retries,
    ) as client:
        server.requests.clear()
        yield client


def test_texts_are_sent_in_batches_and_answers_put_in_order(
    server: FakeServer, embedder: OpenAICompatibleEmbedder
) -> None:
    rows = embedder.embed(["a", "bb", "", "ccc", "dddd"])
    assert [request["input"] for request in server.requests] == [["a", "bb", "ccc"], ["dddd"]]
    assert rows[:, 0] == pytest.approx(
        [length / np.hypot(length, 3**0.5) if length else 0 for length in (1, 2, 0, 3, 4)]
    )


def test_the_key_goes_into_the_header(
    server: FakeServer, embedder: OpenAICompatibleEmbedder
) -> None:
    embedder.embed(["a"])
    assert server.keys[-1] == "Bearer secret-key"


def test_a_server_of_other_dimensions_is_noticed_at_once(server: FakeServer) -> None:
    with pytest.raises(EmbedderError, match="1 vectors of 8 numbers: found '1 x 4'"):
        OpenAICompatibleEmbedder("m", dimensions=8, base_url=server.url)


def test_a_server_can_be_asked_for_shorter_vectors(server: FakeServer) -> None:
    OpenAICompatibleEmbedder("m", dimensions=4, base_url=server.url, shorten=True).close()
    assert server.requests[-1]["dimensions"] == 4


@pytest.mark.parametrize(
    ("failure", "seconds"),
    [
        (status(429), 30),
        (status(500), 30),
        (status(503), 30),
        (status(520), 30),
        (status(524), 30),
        (fake.hang_up, 30),
        (fake.cut_short, 30),
        (fake.be_silent, 0.5),
        (fake.dribble, 0.5),
    ],
    ids=[
        "busy",
        "broken",
        "unavailable",
        "unknown",
        "too slow",
        "hung up",
        "cut short",
        "silent",
        "dribbling",
    ],
)
def test_what_passes_is_tried_again(
    server: FakeServer, embedder: OpenAICompatibleEmbedder, waits: Waits, failure: fake.Answer
) -> None:
    server.next = [failure, failure]
    assert embedder.embed(["a"]).shape == (1, 4)
    assert waits == [0.5, 1.0]


def test_the_server_may_say_how_long_to_wait(
    server: FakeServer, embedder: OpenAICompatibleEmbedder, waits: Waits
) -> None:
    server.next = [status(429, Retry_After="7"), status(429, Retry_After="3600")]
    embedder.embed(["a"])
    assert waits == [7, 20]


def test_what_stays_is_given_up_with_the_number_of_attempts(
    server: FakeServer, embedder: OpenAICompatibleEmbedder
) -> None:
    server.next = [status(503, b"overloaded")] * 3
    with pytest.raises(EmbedderError, match=r"answered 503: overloaded \(3 attempts\)"):
        embedder.embed(["a"])


@pytest.mark.parametrize("code", [400, 401, 404, 301])
def test_what_will_not_pass_is_not_tried_again(
    server: FakeServer, embedder: OpenAICompatibleEmbedder, waits: Waits, code: int
) -> None:
    server.next = [status(code, b"no such model", Location="http://127.0.0.1:1/")]
    with pytest.raises(EmbedderError, match=f"answered {code}: no such model") as caught:
        embedder.embed(["a"])
    assert waits == []
    assert "secret-key" not in str(caught.value)


@pytest.mark.parametrize(
    "body",
    [
        b"<html>",
        b"[]",
        b"{}",
        b'{"data": 3}',
        b'{"data": [{"index": 1, "embedding": [1, 2, 3, 4]}]}',
        b'{"data": [{"index": 0, "embedding": ["a", 2, 3, 4]}]}',
        b'{"data": [{"index": 0, "embedding": [1, 2, 3]}]}',
        b'{"data": [{"index": 0, "embedding": [1, 2, 3, NaN]}]}',
        b'{"data": [{"index": 0, "embedding": [1, 2, 3, 1%s]}]}' % (b"0" * 400),
        b"[" * 100_000,
    ],
)
def test_nonsense_is_refused(
    server: FakeServer, embedder: OpenAICompatibleEmbedder, body: bytes
) -> None:
    server.next = [status(200, body)]
    with pytest.raises(EmbedderError):
        embedder.embed(["a"])


def test_what_a_server_said_instead_is_shown(
    server: FakeServer, embedder: OpenAICompatibleEmbedder
) -> None:
    server.next = [status(200, b'{"error": {"message": "no quota is left"}}')]
    with pytest.raises(EmbedderError, match="no quota is left"):
        embedder.embed(["a"])


@pytest.mark.parametrize("key", ["secret-key\n", " secret-key", "secret key", "secret—key"])
def test_a_key_that_no_request_can_carry_is_refused_unseen(server: FakeServer, key: str) -> None:
    with pytest.raises(InputError, match="api_key") as caught:
        OpenAICompatibleEmbedder("m", dimensions=4, base_url=server.url, api_key=key)
    assert server.requests == []
    assert "secret" not in str(caught.value)


def test_an_answer_may_say_more_than_is_needed(
    server: FakeServer, embedder: OpenAICompatibleEmbedder
) -> None:
    server.next = [answer(server, usage={"total_tokens": 3})]
    assert embedder.embed(["a"]).shape == (1, 4)


@pytest.mark.parametrize(
    "url", ["not an address", "127.0.0.1:9/v1", "ftp://127.0.0.1/v1", "http://[::1"]
)
def test_an_address_that_is_none_is_said_at_once(url: str, waits: Waits) -> None:
    retries = Retries(attempts=3, sleep=waits.append)
    with pytest.raises(EmbedderError, match="base_url is not a valid address"):
        OpenAICompatibleEmbedder("m", dimensions=4, base_url=url, retries=retries)
    assert waits == []


def test_a_server_that_is_not_there_is_said_with_its_address() -> None:
    retries = Retries(attempts=2, sleep=lambda _: None)
    with pytest.raises(EmbedderError, match=r"127.0.0.1:9/v1/embeddings: the connection failed"):
        OpenAICompatibleEmbedder(
            "m", dimensions=4, base_url="http://127.0.0.1:9/v1", retries=retries
        )


def _dripping_headers(handler: Any, _: dict[str, Any]) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    for _ in range(400):
        try:
            handler.wfile.write(b"x")
            handler.wfile.flush()
        except OSError:
            return
        time.sleep(0.05)


def test_the_time_limit_covers_headers_that_arrive_byte_by_byte(server: FakeServer) -> None:
    server.next = [_dripping_headers]
    start = time.monotonic()
    with pytest.raises(EmbedderError, match=r"no answer within 0.3 seconds \(1 attempt\)"):
        OpenAICompatibleEmbedder(
            "m", dimensions=4, base_url=server.url, timeout_seconds=0.3, retries=Retries(attempts=1)
        )
    assert time.monotonic() - start < 15


@pytest.mark.parametrize("code", [200, 401, 503])
def test_a_key_that_a_server_repeats_is_in_no_message(server: FakeServer, code: int) -> None:
    key, password = 'sk-"secret"-' + "k" * 40, "pass-word-1"
    url = server.url.replace("//", f"//someone:{password}@")
    for base, passed, echo in ((server.url, key, key), (url, None, password)):
        said = json.dumps({"error": f"bad key {echo}" + "." * 240 + echo})
        spelt = "".join(rf"\u{ord(letter):04x}" for letter in echo)
        server.next = [status(code, f"{said} {spelt}".encode())]
        with pytest.raises(EmbedderError) as caught:
            OpenAICompatibleEmbedder(
                "m", dimensions=4, base_url=base, api_key=passed, retries=Retries(attempts=1)
            )
        assert "bad key" in str(caught.value)
        assert not any(each in str(caught.value) for each in ("secret", "kkkk", password))


@pytest.mark.parametrize(
    "url", ["http://u:pass-word@127.0.0.1:9/v1", "http://u:pass-word@[::1", "u:pass-word@host/v1"]
)
def test_user_names_and_passwords_of_an_address_are_in_no_message(url: str) -> None:
    with pytest.raises(EmbedderError) as caught:
        OpenAICompatibleEmbedder("m", dimensions=4, base_url=url, retries=Retries(attempts=1))
    assert "pass-word" not in str(caught.value)


def test_an_answer_is_no_larger_than_the_request_can_need(server: FakeServer) -> None:
    server.next = [status(200, b'{"data": [' + b"[]," * 1_000_000 + b"[]]}")]
    with pytest.raises(EmbedderError, match=r"larger than 66,752 bytes \(1 attempt\)"):
        OpenAICompatibleEmbedder("m", dimensions=4, base_url=server.url)


def test_an_answer_of_many_small_lists_is_refused_unread(
    server: FakeServer, embedder: OpenAICompatibleEmbedder
) -> None:
    server.next = [status(200, b'{"data": [' + b"[]," * 10_000 + b"[]]}")]
    with pytest.raises(EmbedderError, match="too many lists or mappings"):
        embedder.embed(["a"])


def test_a_compressed_answer_is_refused_unread(
    server: FakeServer, embedder: OpenAICompatibleEmbedder
) -> None:
    packed = gzip.compress(b" " * 1_000_000)
    server.next = [status(200, packed, Content_Encoding="gzip")]
    with pytest.raises(EmbedderError, match="compressed"):
        embedder.embed(["a"])


def test_the_longest_numbers_and_indentation_fit(
    server: FakeServer, embedder: OpenAICompatibleEmbedder
) -> None:
    data = [{"object": "embedding", "index": 0, "embedding": [-1.2345678901234567e-05] * 4}]
    server.next = [status(200, json.dumps({"data": data}, indent=8).encode())]
    assert embedder.embed(["a"]).shape == (1, 4)


@pytest.mark.parametrize("number", ["0", "1e30", "1e300", "1e-30", "NaN", "Infinity", "-Infinity"])
def test_a_vector_without_a_direction_is_refused(
    server: FakeServer, embedder: OpenAICompatibleEmbedder, number: str
) -> None:
    numbers = ", ".join([number] * 4)
    body = f'{{"data": [{{"index": 0, "embedding": [{numbers}]}}]}}'
    server.next = [status(200, body.encode())]
    with pytest.raises(EmbedderError, match=r"without a direction|not finite"):
        embedder.embed(["a"])


def test_vectors_are_known_by_model_and_server(server: FakeServer) -> None:
    with (
        fake.fake_server() as other,
        OpenAICompatibleEmbedder("m", dimensions=4, base_url=server.url) as one,
        OpenAICompatibleEmbedder("m", dimensions=4, base_url=other.url + "/") as two,
    ):
        assert one.model == f"m@4 {server.url}"
        assert two.model == f"m@4 {other.url}"


def test_a_request_in_a_forked_process_is_answered(embedder: OpenAICompatibleEmbedder) -> None:
    child = os.fork()
    if child == 0:
        os._exit(0 if embedder.embed(["a"]).shape == (1, 4) else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_a_missing_key_is_named_where_a_server_wants_one(server: FakeServer) -> None:
    server.next = [status(401, b"who are you?")]
    with pytest.raises(EmbedderError, match=r"No key was sent. .* --allow-key NAME=HOST"):
        OpenAICompatibleEmbedder("m", dimensions=4, base_url=server.url)
