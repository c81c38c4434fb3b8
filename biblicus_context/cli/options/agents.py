"""The arguments of the commands that serve agents and editors."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from biblicus_context.cli.options.declaring import option
from biblicus_context.cli.options.shared import AllowKeyOption, PrincipalOptions, ProjectOptions


class Client(StrEnum):
    """A program that starts servers of the Model Context Protocol."""

    CLAUDE_CODE = "claude-code"
    CODEX = "codex"
    CURSOR = "cursor"
    VSCODE = "vscode"


@dataclass(frozen=True, kw_only=True)
class McpArguments:
    """Serve the project to agents over the Model Context Protocol: search, contexts, memory.

    Without --port it speaks on standard input and output, as a client that starts it expects. Contexts
    are prompts, corpora are resources. Who reads is decided here, never by the agent.

    Examples:
      biblicus-context mcp --config claude-code
      biblicus-context mcp --learning ~/.learning
      biblicus-context mcp --port 8322
    """

    place: ProjectOptions
    who: PrincipalOptions
    learning: Annotated[
        Path | None,
        option(
            "Folder of a learning memory: adds recall, premortem and remember. "
            "Default: learning, if there is one.",
            metavar="FOLDER",
        ),
    ] = None
    port: Annotated[
        int | None,
        option("Serve HTTP at http://127.0.0.1:PORT/mcp instead.", metavar="PORT", min=1),
    ] = None
    config: Annotated[
        Client | None,
        option("Print what this client has to be told to start the server, and exit."),
    ] = None
    skill: Annotated[
        bool, option("Print a SKILL.md that tells an agent when to use the tools, and exit.")
    ] = False
    allow_key: AllowKeyOption = None


@dataclass(frozen=True, kw_only=True)
class LspArguments:
    """Serve plans to an editor: findings as you type, names, tokens, fixes, a preview.

    It speaks the Language Server Protocol on standard input and output; the editor starts it.

    Examples:
      biblicus-context lsp
    """
