"""`biblicus-context serve` as a process: it starts, reloads plans, drains, and loses nothing that it acknowledged."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import httpx
import pytest

from biblicus_context.service import KeyFile, KeyScope

pytestmark = pytest.mark.enable_socket

PLAN = "kind: context\nname: {name}\nmessages: [{{type: user, content: Hello.}}]\n"


@contextmanager
def served(place: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], httpx.Client]]:
    log, settings = place.parent / "log.txt", place.parent / "service.yaml"
    settings.write_text("reload_seconds: 0.1\n", "utf-8")
    command = [sys.executable, "-m", "biblicus_context", "serve", "--path", str(place), "--port=0"]
    with log.open("w") as errors:
        process = subprocess.Popen(
            [*command, "--settings", str(settings), *arguments], stderr=errors, text=True
        )
    try:
        wait_until(lambda: "listening on" in log.read_text("utf-8"))
        found = re.search(r"listening on (http://\S+)", log.read_text("utf-8"))
        assert found is not None
        with httpx.Client(base_url=found[1], timeout=30) as client:
            wait_until(lambda: is_there(client))
            yield process, client
    finally:
        process.kill()
        process.wait(timeout=30)


def is_there(client: httpx.Client) -> bool:
    try:
        return client.get("/healthz").status_code == 200
    except httpx.TransportError:
        return False


def wait_until(condition) -> None:
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.05)


def test_a_served_folder_is_read_again_when_it_changes_and_drained_at_the_end(tmp_path: Path):
    plan = tmp_path / "contexts" / "one.yaml"
    plan.parent.mkdir()
    plan.write_text(PLAN.format(name="one"), "utf-8")
    with served(plan.parent) as (process, client):

        def names() -> list[str]:
            return [each["name"] for each in client.get("/v1/contexts").json()["contexts"]]

        assert names() == ["one"]
        plan.write_text(PLAN.format(name="two"), "utf-8")
        wait_until(lambda: names() == ["two"])
        plan.write_text("kind: context\nname: [", "utf-8")
        wait_until(lambda: client.get("/readyz").json()["status"] == "stale")
        assert names() == ["two"]
        assert client.post("/v1/contexts/two/assemble", json={}).status_code == 200
        plan.write_text(PLAN.format(name="three"), "utf-8")
        wait_until(lambda: names() == ["three"])
        assert client.get("/readyz").json()["status"] == "ready"
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) in (0, -signal.SIGTERM)


def test_several_workers_are_one_service(tmp_path: Path):
    plan, file = tmp_path / "contexts" / "one.yaml", tmp_path / "keys.json"
    plan.parent.mkdir()
    plan.write_text(PLAN.format(name="one"), "utf-8")
    keys = KeyFile(file)
    old = {"x-api-key": keys.create("acme", scopes=(KeyScope.INSPECT,)).key}
    with served(plan.parent, "--workers", "2", "--keys", str(file)) as (process, client):

        def each(path: str, headers: dict[str, str], times: int = 8) -> set[int]:
            """The statuses of requests over connections of their own, which any worker may get."""
            where = client.base_url.join(path)
            asked = (httpx.get(where, headers=headers, verify=False) for _ in range(times))
            return {one.status_code for one in asked}

        assert each("/metrics", old) == {200}
        made = keys.create("acme", scopes=(KeyScope.INSPECT,))
        new = {"x-api-key": made.key}
        wait_until(lambda: each("/metrics", new) == {200})
        counted = re.search(
            r'requests_total{operation="metrics",status="200"} (\d+)',
            client.get("/metrics", headers=old).text,
        )
        assert counted is not None
        assert int(counted[1]) >= 16  # of both workers, whichever was asked
        keys.revoke(made.known.id)
        wait_until(lambda: each("/metrics", new, 2) == {401})
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) in (0, -signal.SIGTERM)


def test_a_request_that_was_let_in_is_answered_before_the_end(tmp_path: Path):
    plan = tmp_path / "contexts" / "one.yaml"
    plan.parent.mkdir()
    plan.write_text(PLAN.format(name="one"), "utf-8")
    with served(plan.parent) as (process, client):
        address = (client.base_url.host, client.base_url.port)
        with socket.create_connection(address, timeout=30) as connection:
            connection.sendall(
                b"POST /v1/contexts/one/assemble HTTP/1.1\r\nhost: localhost\r\n"
                b"content-type: application/json\r\ncontent-length: 2\r\n\r\n{"
            )
            assert client.get("/healthz").status_code == 200  # so the first bytes were read
            process.send_signal(signal.SIGTERM)
            wait_until(lambda: not is_there(client))
            connection.sendall(b"}")
            assert connection.recv(65_536).startswith(b"HTTP/1.1 200 ")
        assert process.wait(timeout=60) in (0, -signal.SIGTERM)


WRITERS = 4


def write_until_killed(
    process: subprocess.Popen[str], client: httpx.Client, first: int
) -> set[str]:
    """The documents that were acknowledged before the server was killed."""
    acknowledged: set[str] = set()

    def write(writer: int) -> None:
        for number in count(first):
            name = f"d{writer}-{number}"
            try:
                done = client.put(
                    f"/v1/corpora/notes/documents/{name}", json={"text": f"{name} text."}
                )
            except httpx.TransportError:
                return
            if done.status_code == 200:
                acknowledged.add(name)

    threads = [threading.Thread(target=write, args=(each,)) for each in range(WRITERS)]
    for each in threads:
        each.start()
    wait_until(lambda: len(acknowledged) >= 20)
    process.kill()
    for each in threads:
        each.join(timeout=60)
    return acknowledged


def stored(client: httpx.Client) -> list[str]:
    names, after = [], ""
    while True:
        where = {"limit": 500} | ({"after": after} if after else {})
        page = client.get("/v1/corpora/notes/documents", params=where).json()
        names += [each["id"] for each in page["documents"]]
        if (after := page["next"]) is None:
            return names


@pytest.mark.parametrize(
    "kills", [1, pytest.param(100, marks=pytest.mark.nightly)], ids=["once", "often"]
)
def test_what_was_acknowledged_is_there_once_after_a_kill(tmp_path: Path, kills: int):
    plan = tmp_path / "contexts" / "one.yaml"
    plan.parent.mkdir()
    corpus = f"kind: corpus\nname: notes\nconfig: {{store: {tmp_path / 'store'}, embedder: null}}\n"
    plan.write_text(PLAN.format(name="one") + "---\n" + corpus, "utf-8")
    acknowledged: set[str] = set()
    for number in range(kills):
        with served(plan.parent) as (process, client):
            acknowledged |= write_until_killed(process, client, 1_000_000 * number)
    with served(plan.parent) as (_, client):
        found = stored(client)
    assert acknowledged <= {*found}
    assert len(found) == len({*found})
