"""The command `lsp`."""

from __future__ import annotations

from biblicus_context.cli.options.agents import LspArguments
from biblicus_context.service.lsp import serve_editor


def lsp(_: LspArguments) -> None:
    serve_editor()
