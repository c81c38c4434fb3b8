"""The recipe for a query rewriter runs as printed, with a model behind a real endpoint on this machine."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from biblicus_context.corpora import Corpus
from biblicus_context.starter.files import starter_files
from tests.docs.reader import ROOT, blocks

pytestmark = pytest.mark.enable_socket
PAGE = ROOT / "docs" / "recipes" / "query-rewriting.md"
TALK = "How long can I return goods?\nand gifts?\n"


class Model:
    """Rewrites the last question with the words of the one before it, and keeps what it was sent."""

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []

    def answer(self, body: dict[str, Any]) -> dict[str, Any]:
        self.bodies.append(body)
        *_, before, last = re.findall(
            r"(?:user|Last question): (.*)", body["messages"][1]["content"]
        )
        subject = last.removeprefix("and ").removesuffix("?")
        message = {"role": "assistant", "content": before.replace("goods", subject)}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        return {
            "id": "1",
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "choices": [choice],
        }


@pytest.fixture
def model() -> Iterator[tuple[Model, str]]:
    found = Model()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.path == "/v1/chat/completions"
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            written = json.dumps(found.answer(body)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(written)))
            self.end_headers()
            self.wfile.write(written)

        def log_message(self, *_: object) -> None:
            """Say nothing on the terminal."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True).start()
        yield found, f"http://127.0.0.1:{http.server_port}/v1"
        http.shutdown()


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """The project that `init` writes, indexed, with the program of the page."""
    for name, text in starter_files().items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    with Corpus.open(tmp_path / "handbook") as handbook:
        handbook.ingest()
    (program,) = (block for block in blocks(PAGE) if block.file == "rewriting.py")
    (tmp_path / "rewriting.py").write_text(program.body, encoding="utf-8")
    return tmp_path


def printed(shop: Path, url: str) -> str:
    environment = {**os.environ, "REWRITER_URL": url, "NO_PROXY": "127.0.0.1"}
    done = subprocess.run(
        [sys.executable, "rewriting.py"],
        cwd=shop,
        env=environment,
        input=TALK,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def shown() -> list[str]:
    """What the page says that the program prints."""
    return re.findall(r"^```\n(> .*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def test_the_program_prints_what_the_page_shows(shop: Path, model: tuple[Model, str]):
    found, url = model
    assert printed(shop, url) == shown()[0]
    (body,) = found.bodies  # the first question of a conversation is no call
    assert body["messages"][1]["content"].splitlines() == [
        "user: How long can I return goods?",
        "assistant: ...",
        "Last question: and gifts?",
    ]


def test_without_the_model_it_goes_on_as_the_page_shows(shop: Path):
    assert printed(shop, "http://127.0.0.1:9/v1").endswith(shown()[1])
