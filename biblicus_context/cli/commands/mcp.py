"""The command `mcp`."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from biblicus_context.cli.help_texts import PROGRAM
from biblicus_context.cli.input.corpora import allowed_keys, principal_of
from biblicus_context.cli.input.projects import paths_of
from biblicus_context.cli.options.agents import Client, McpArguments
from biblicus_context.cli.output.terminal import note, write
from biblicus_context.service.mcp import LiveOffers, Offer, http_app, serve_stdio
from biblicus_context.service.plans import LivePlans
from biblicus_context.systems.learning import LearningStore

_LEARNING = Path("learning")


def mcp(args: McpArguments) -> None:
    if args.skill:
        write((files("biblicus_context.service.mcp") / "SKILL.md").read_text(encoding="utf-8"))
        return
    if args.config is not None:
        write(_configuration(args.config, ["mcp", *_arguments(args)]))
        return
    who = principal_of(args.who)
    plans = LivePlans(
        paths_of(args.place), principal=who, allow_keys=allowed_keys(args.allow_key) or None
    )
    learning = _learning(args)
    offers = LiveOffers(plans, lambda _: learning)
    plans.look()
    now = plans.now
    note(f"offered: {len(now.project.contexts)} contexts, {len(now.corpora)} corpora")
    try:
        if args.port is None:
            serve_stdio(lambda: offers.of(who))
        else:
            _serve_http(lambda: offers.of(who), args.port)
    finally:
        plans.close()
        if learning is not None:
            learning.close()


def _learning(args: McpArguments) -> LearningStore | None:
    folder = args.learning or (_LEARNING if _LEARNING.is_dir() else None)
    return None if folder is None else LearningStore.open(folder, workspace=args.who.workspace)


def _serve_http(offer: Callable[[], Offer], port: int) -> None:
    import uvicorn

    note(f"serving agents at http://127.0.0.1:{port}/mcp; Ctrl+C stops")
    uvicorn.run(http_app(offer), host="127.0.0.1", port=port, log_level="warning", access_log=False)


def _arguments(args: McpArguments) -> list[str]:
    """What the server is to be started with: paths are absolute, as a client has its own folder."""
    who = args.who
    said: Sequence[tuple[str, str]] = [
        *(("--path", str(each.absolute())) for each in args.place.path or paths_of(args.place)),
        *([("--learning", str(args.learning.absolute()))] if args.learning else []),
        *([("--workspace", who.workspace)] if who.workspace != "local" else []),
        *([("--as", who.reader)] if who.reader else []),
        *(("--group", each) for each in who.group or ()),
        *(("--allow-key", each) for each in args.allow_key or ()),
    ]
    return [each for pair in said for each in pair]


def _configuration(client: Client, arguments: list[str]) -> str:
    """A command to run, or a file to write."""
    program = _program()
    started = {"command": program, "args": arguments}
    written: Mapping[Client, tuple[str, object]] = {
        Client.CURSOR: (".cursor/mcp.json", {"mcpServers": {PROGRAM: started}}),
        Client.VSCODE: (".vscode/mcp.json", {"servers": {PROGRAM: {"type": "stdio", **started}}}),
    }
    if client in written:
        file, content = written[client]
        note(f"write this to {file}")
        return json.dumps(content, indent=2)
    if client is Client.CLAUDE_CODE:
        note("run this in the project")
        return shlex.join(["claude", "mcp", "add", PROGRAM, "--", program, *arguments])
    note("add this to ~/.codex/config.toml")
    return (
        f"[mcp_servers.{PROGRAM}]\ncommand = {json.dumps(program)}\nargs = {json.dumps(arguments)}"
    )


def _program() -> str:
    """This program, as it was installed here: a client need not have it on its path."""
    own = Path(sys.executable).with_name(PROGRAM)
    return str(own) if own.exists() else PROGRAM
