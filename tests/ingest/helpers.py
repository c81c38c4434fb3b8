"""Helpers that are started at the first byte, and waited for, so that small files need one too."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from biblicus_context.ingest import ChunkSettings, Content, Readers
from biblicus_context.ingest.chunks.cutting import Cutting, Item, Job
from biblicus_context.ingest.helper import helped
from biblicus_context.ingest.helper import process as helper
from biblicus_context.ingest.helper.program import Answer, Jobs
from tests.ingest.build import MOMENT, TOKENS
from tests.ingest.pdfs import pdf

CUTTING = Cutting(Readers(), ChunkSettings(), TOKENS)
FILES: dict[str, str | bytes] = {
    "00.md": "---\ntitle: One\ntags: [a]\ndate: 2024-05-01\n---\n# Täxt\n\n" + "words of it " * 400,
    "01.txt": "half a pair \ud800 is no text".encode(errors="surrogatepass"),
    "02.py": 'class A:\n    """Doc."""\n\n    def f(self):\n        return 1\n',
    "03.py": "def f(:\n    pass\n",
    "04.html": "<title>T</title><h1>One</h1><p>words<h2>Two</h2><p>more",
    "05.json": '{"a": [1, 2, {"b": "text"}]}',
    "06.json": "{",
    "07.jsonl": '{"role": "user", "content": "hello"}\n{"role": "assistant", "content": "yes"}\n',
    "08.csv": "a,b\n1,2\n3,4\n",
    "09.ipynb": '{"cells": [{"cell_type": "markdown", "source": ["# A"]}], "metadata": {}}',
    "10.pdf": pdf("page one", "page two", title="Pages"),
    "11.pdf": b"%PDF-no",
    "12.pdf": pdf(),
    "13.bin": b"\0\1\2",
    "14.md": " \n\n",
    "15.rst": "Title\n=====\n\ntext\n",
    "16.unknown": "plain",
    "17.md": "# A\n\n<|im_start|> " + "x" * 20_000,
    "18.md": "---\na: &a [1]\nb: *a\n---\n# Aliases\n\ntext",
    "19.jsonl": "[" * 5_000,
}


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Watched]]:
    """The helpers that were started, each with the first file; all of them have to end."""
    started: list[Watched] = []

    class Starting(Watched):
        def __init__(self, cutting: Cutting) -> None:
            super().__init__(cutting)
            started.append(self)

    monkeypatch.setattr(helped, "_MANY", 0)
    monkeypatch.setattr(helped, "_ENOUGH", 0)
    monkeypatch.setattr(helped, "_PARCEL", 3_000)
    monkeypatch.setattr(helped, "_MOST_ASKED", 9_000)
    monkeypatch.setattr(helped, "Helper", Starting)
    yield started
    assert all(each.has_ended for each in started)


class Watched(helper.Helper):
    """One that is waited for, and that is known by its number."""

    answered = 0

    @property
    def ready(self) -> bool:
        return self.wait()

    @property
    def number(self) -> int:
        return self._process.pid

    @property
    def has_ended(self) -> bool:
        return self._process.returncode is not None

    def answer(self, jobs: Jobs) -> Answer:
        answers = super().answer(jobs)
        self.answered += sum(each is not None for each in answers)
        return answers


def job(name: str, content: str | bytes) -> Job:
    """A file as it is cut."""
    data = content if isinstance(content, bytes) else content.encode()
    return Job(Content(name, data, MOMENT), f"fingerprint of {name}")


def jobs() -> list[Item]:
    """All files."""
    return [job(name, content) for name, content in FILES.items()]


def cuts(items: list[Item], cutting: Cutting = CUTTING) -> list[object]:
    """What comes of items with a helper."""
    with closing(helped.HelpedCutting(cutting, 0)) as cut:
        return [*cut(items)]


def program(path: Path, text: str) -> Path:
    """A program that may stand for Python."""
    path.write_text(text)
    path.chmod(0o755)
    return path
