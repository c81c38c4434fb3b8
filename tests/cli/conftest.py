"""Commands are run as the program runs them, in this process, in a terminal of known width."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from biblicus_context.cli.main import main


class Done(NamedTuple):
    """What came of a command."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert (self.status, self.err) == (0, "")
        return json.loads(self.out)

    @property
    def text(self) -> str:
        assert (self.status, self.err) == (0, "")
        return self.out

    @property
    def refusal(self) -> str:
        """What a command that could not run says."""
        assert (self.status, self.out) == (2, "")
        assert self.err.startswith("error: ")
        return self.err.removeprefix("error: ").rstrip("\n")


Run = Callable[..., Done]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    for name in ("NO_COLOR", "FORCE_COLOR", "BIBLICUS_CONTEXT_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "100")

    def run(*arguments: object, stdin: str | bytes = "") -> Done:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
        status = main([str(argument) for argument in arguments])
        return Done(status, *capsys.readouterr())

    return run


PLANS = """\
kind: context
name: desk
description: Answers at the desk.
policy: {input_budget: {max_tokens: 70}, pack_budget: {default_ratio: 0.5}}
inputs:
  question: {type: string, example: Where is it?}
  count: {type: integer, default: 1}
  tags: {type: array, required: false, example: [a, b]}
messages:
  - {type: system, content: You work at the desk.}
  - {type: context, name: handbook}
  - {type: history, keep_last: 1}
  - {type: user, content: "Question {input.count}: {input.question}"}
---
kind: retriever
name: handbook
config: {query: "{input.question}", limit: 2}
---
kind: context
name: plain
messages:
  - {type: system, content: Be brief.}
"""

PACKS = """\
handbook:
  - {id: lost, text: A parcel is lost after ten days. Then we send another one., score: 0.9}
  - {id: 返品, text: 商品は三十日以内に返品できます。, source: handbook/returns.md}
  - Orders leave the warehouse within a day. A parcel takes three days at home.
"""

HISTORY = [
    {"role": "user", "content": "Hello! I have ordered two lamps and a table from you."},
    {"role": "assistant", "content": "Hello! Thank you for your order. How can I help?"},
    {"role": "user", "content": "One moment please."},
]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with contexts, recorded answers and a history, which the command runs in."""
    folder = tmp_path / "a project"
    (folder / "contexts").mkdir(parents=True)
    (folder / "contexts" / "desk.yaml").write_text(PLANS, encoding="utf-8")
    (folder / "packs.yaml").write_text(PACKS, encoding="utf-8")
    (folder / "history.json").write_text(json.dumps(HISTORY), encoding="utf-8")
    monkeypatch.chdir(folder)
    return folder


DESK = ("desk", "--packs", "packs.yaml", "--history", "history.json", "--examples")
"""The arguments that assemble the project's main context."""
