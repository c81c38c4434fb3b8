"""`biblicus-context serve` as a process: it starts, reloads plans, drains, and loses nothing that it acknowledged."""

from __future__ import annotations

import re
import signal
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
    until = time.monotonic() + 20
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
