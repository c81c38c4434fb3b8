"""A project in an editor: the program as a process, and the client of pytest-lsp."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient, client_capabilities, make_test_lsp_client

SUPPORT = """\
kind: context
name: support
description: Answers from the handbook.
policy:
  input_budget: {max_tokens: 1000}
  pack_budget: {default_ratio: 0.5}
inputs:
  question: {type: string, description: What is asked., example: May I return it?}
messages:
  - {type: system, content: You are kind.}
  - {type: context, name: kb, place: quoted, format: {fence: true}}
  - {type: user, template: "{context.kb} {input.question}"}
"""
KB = """\
kind: retriever
name: kb
corpus: handbook
config: {retriever_id: keyword, query: "{input.question}"}
---
kind: corpus
name: handbook
config: {root: ../handbook}
"""
TEST = """\
tests:
  - context: support
    name: it assembles
    expect: {budget: kept}
"""


class Editor(NamedTuple):
    """A client that has opened nothing yet, and the folder of its project."""

    client: LanguageClient
    folder: Path

    def uri(self, name: str) -> str:
        return (self.folder / "contexts" / name).as_uri()

    def document(self, name: str) -> types.TextDocumentIdentifier:
        return types.TextDocumentIdentifier(self.uri(name))

    async def open(self, name: str, text: str | None = None) -> list[types.Diagnostic]:
        """Show a file, or a text that is not saved; its findings."""
        shown = (self.folder / "contexts" / name).read_text() if text is None else text
        self.client.diagnostics.pop(self.uri(name), None)
        item = types.TextDocumentItem(self.uri(name), "yaml", 1, shown)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return await self._findings(name)

    async def change(self, name: str, text: str) -> list[types.Diagnostic]:
        """Type a text; the findings that come after it."""
        self.client.diagnostics.pop(self.uri(name), None)
        document = types.VersionedTextDocumentIdentifier(2, self.uri(name))
        whole = types.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [whole]))
        return await self._findings(name)

    async def _findings(self, name: str) -> list[types.Diagnostic]:
        """What is told of a file next. To wait for messages one by one would miss those in between."""
        while self.uri(name) not in self.client.diagnostics:
            await asyncio.sleep(0.02)
        return [*self.client.diagnostics[self.uri(name)]]

    def at(self, name: str, text: str, after: str) -> dict[str, Any]:
        """The place after some words of a text, as a request names it."""
        offset = text.index(after) + len(after)
        line, start = text.count("\n", 0, offset), text.rfind("\n", 0, offset) + 1
        units = len(text[start:offset].encode("utf-16-le")) // 2
        return {
            "text_document": self.document(name),
            "position": types.Position(line, units),
        }


Edit: TypeAlias = Callable[[Callable[[Editor], Awaitable[Any]]], Any]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    plans = tmp_path / "contexts"
    plans.mkdir()
    (tmp_path / "handbook").mkdir()
    (tmp_path / "handbook" / "returns.md").write_text("Goods may be sent back.\n")
    for name, text in {"support.yaml": SUPPORT, "kb.yaml": KB, "support.test.yaml": TEST}.items():
        (plans / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture(scope="module")
def editor_client() -> Iterator[tuple[asyncio.Runner, LanguageClient]]:
    """The program, started once; each test has a project of its own."""
    command = [sys.executable, "-m", "biblicus_context", "lsp"]

    async def start() -> LanguageClient:
        client: LanguageClient = make_test_lsp_client()
        await client.start_io(*command)
        capabilities = client_capabilities("visual-studio-code")
        await client.initialize_session(types.InitializeParams(capabilities=capabilities))
        return client

    with asyncio.Runner() as runner:
        client = runner.run(start())
        yield runner, client
        runner.run(client.shutdown_session())
        runner.run(client.stop())


@pytest.fixture
def edit(project: Path, editor_client: tuple[asyncio.Runner, LanguageClient]) -> Edit:
    """Run what an editor does in a project."""
    runner, client = editor_client

    def edit(work: Callable[[Editor], Awaitable[Any]]) -> Any:
        return runner.run(asyncio.wait_for(work(Editor(client, project)), 30))

    return edit
