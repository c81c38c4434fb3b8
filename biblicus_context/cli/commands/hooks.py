"""The commands `hook`, which coding agents run, and `hooks`, which tells them to."""

from __future__ import annotations

import json
import re
import shlex
import sys
import time
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from biblicus_context.cli.commands.learning import answer
from biblicus_context.cli.hook_files import HOOK_FILES, hook_text, install
from biblicus_context.cli.options.learning import HookArguments, HooksArguments
from biblicus_context.cli.output.terminal import note, warn, write
from biblicus_context.cli.resident import private_folder

_TYPES: Final = ("memories", "code", "experiences", "values", "commits")
_LONGEST: Final = 4_000
"""Characters of a prompt that are searched for."""
_CHECKS: Final = re.compile(
    r"\b(?:pytest|unittest|tox|nox|jest|vitest|mocha|playwright|cypress|rspec|phpunit|ctest|gradlew?|mvn|make|ninja|tsc"
    r"|mypy|ruff|eslint|(?:go|cargo|dotnet|swift|bun|deno|mix|sbt|bazel|npm|pnpm|yarn|rake|composer)\s+"
    r"(?:run\s+)?(?:test|build|check|lint|vet|clippy)\S*)"
)
"""Commands that test or build something."""
_FAILED: Final = re.compile(
    r"\b[1-9]\d* (?:failed|failing|errors?)\b|\bFAIL(?:ED|URE)?\b|\bBUILD FAILED\b|Traceback \(most recent"
    r"|^error(?:\[\w+\])?: |\berror TS\d+|npm ERR!|\bpanicked at\b|Exit code [1-9]",
    re.MULTILINE,
)
_DAY: Final = 86_400.0


def hooks(args: HooksArguments) -> None:
    place = [] if args.store == Path("learning") else ["--store", str(args.store)]
    place += [] if args.workspace == "local" else ["--workspace", args.workspace]
    reading = [part for name in args.also or () for part in ("--also", name)]
    said = [f" {shlex.join(each)}" if each else "" for each in (place, reading)]
    file = HOOK_FILES[args.agent.value]
    text = hook_text(args.agent.value, *said)
    if args.install:
        target = install(args.agent.value, text, args.project)
        note(f"written: {target}")
    else:
        note(f"for {file.place}:")
        write(text, end="")
    if file.more:
        note(file.more)


def hook(args: HookArguments) -> None:
    """An agent must not stop because its memory does: whatever goes wrong is said, and nothing added."""
    try:
        payload = json.loads(sys.stdin.read())
        event = str(payload["hook_event_name"])
        text = _text(args, payload, event)
    except Exception as error:  # see above
        warn(f"nothing recalled: {type(error).__name__}: {error}")
        return
    if "cursor_version" in payload or event[:1].islower():
        write(json.dumps({"additional_context": text} if text else {}))
    elif text:
        added = {"hookEventName": event, "additionalContext": text}
        write(json.dumps({"hookSpecificOutput": added}))
    elif event in ("BeforeAgent", "AfterTool"):  # whose output is read as JSON in any case
        write("{}")


def _text(args: HookArguments, payload: Mapping[str, Any], event: str) -> str:
    roots = payload.get("workspace_roots") or [payload.get("cwd") or "."]
    store = Path(str(roots[0])) / args.store
    if not store.is_dir():
        return ""
    prompt = payload.get("prompt")
    if event in ("UserPromptSubmit", "BeforeAgent") and isinstance(prompt, str) and prompt.strip():
        return answer(args, store, "recall", [prompt.strip()[:_LONGEST], [*_TYPES]])
    if event == "sessionStart":
        return _HINT
    if not _has_failed(payload) or not _is_first(payload):
        return ""
    return answer(args, store, "premortem", [args.domain, None])


_HINT: Final = (
    'This project has a learning memory. Before a task, run `bctx recall "what the task is about"`; when a test fails '
    "for the first time, run `bctx premortem --domain debugging`."
)


def _has_failed(payload: Mapping[str, Any]) -> bool:
    """Whether a command that tests or builds something has failed."""
    given = payload.get("tool_input")
    command = given.get("command") if isinstance(given, Mapping) else given
    if not isinstance(command, str) or not _CHECKS.search(command):
        return False
    if payload.get("hook_event_name") == "PostToolUseFailure":
        return True
    said = payload.get("tool_response", payload.get("tool_output", ""))
    known = said if isinstance(said, Mapping) else {}
    status = known.get("exit_code", known.get("exitCode"))
    if isinstance(status, int) and not isinstance(status, bool):
        return status != 0
    return bool(_FAILED.search(said if isinstance(said, str) else "\n".join(_texts(said))))


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = (
        value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    )
    return [text for each in inner for text in _texts(each)]


def _is_first(payload: Mapping[str, Any]) -> bool:
    """Whether it is the first failure of a session: later ones are what the agent is at work on."""
    session = payload.get("session_id") or payload.get("conversation_id")
    folder = private_folder()
    if session is None or folder is None:
        return True
    now = time.time()
    for old in folder.glob("*.warned"):
        if now - old.stat().st_mtime > _DAY:
            old.unlink(missing_ok=True)
    mark = folder / f"{sha256(str(session).encode()).hexdigest()[:24]}.warned"
    try:
        mark.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True
