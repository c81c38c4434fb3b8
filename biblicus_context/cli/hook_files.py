"""What coding agents have to be told, to ask a learning memory by themselves: a file for each, and how it is installed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final, NamedTuple

from biblicus_context.errors import InputError

_FILES: Final = Path(__file__).parent / "hooks"
_OURS: Final = re.compile(r"\b(?:bctx|biblicus-context) hook\b")
_SECTION: Final = re.compile(r"<!-- bctx: begin -->.*?<!-- bctx: end -->\n?", re.DOTALL)
_OF_GIT: Final = re.compile(r"^# bctx:.*\nbctx index-code .*\n?", re.MULTILINE)


class HookFile(NamedTuple):
    """What an agent reads, and where."""

    source: str
    place: str
    """Below the folder of a project."""
    more: str = ""
    """What else has to be done, in a sentence."""


HOOK_FILES: Final = {
    "claude-code": HookFile("claude-code.json", ".claude/settings.json"),
    "codex": HookFile(
        "codex.json",
        ".codex/hooks.json",
        "Set `hooks = true` below [features] of ~/.codex/config.toml, and trust the hooks with /hooks.",
    ),
    "gemini-cli": HookFile("gemini-cli.json", ".gemini/settings.json"),
    "cursor": HookFile(
        "cursor.json",
        ".cursor/hooks.json",
        "Cursor takes no context at a prompt: install agents-md as well, so that the agent asks itself.",
    ),
    "agents-md": HookFile("agents-md.md", "AGENTS.md"),
    "git": HookFile("git.sh", ".git/hooks/post-commit"),
}


def hook_text(agent: str, place: str, reading: str) -> str:
    """The file of an agent, with the options of the memory: where it is, and what is read besides."""
    text = (_FILES / HOOK_FILES[agent].source).read_text("utf-8")
    command = json.dumps(f"bctx hook{place}{reading}")[1:-1]
    known = {"{command}": command, "{options}": f"{place}{reading}", "{place}": place}
    for name, value in known.items():
        text = text.replace(name, value)
    return text


def install(agent: str, text: str, project: Path) -> Path:
    """Write it into a project, next to what is there; what an earlier call wrote is replaced."""
    target = project / HOOK_FILES[agent].place
    if agent == "git" and not (project / ".git").is_dir():
        raise InputError(
            "not the top folder of a git repository", place="FOLDER", found=str(project)
        )
    before = target.read_text("utf-8") if target.is_file() else ""
    if target.suffix == ".json":
        written = _merged(before, text, target)
    elif agent == "git":
        rest = _OF_GIT.sub("", before)
        written = f"{rest.rstrip()}\n{text.split(chr(10), 1)[1]}" if rest.strip() else text
    else:
        rest = _SECTION.sub("", before).rstrip()
        written = f"{rest}\n\n{text}" if rest else text
    target.parent.mkdir(parents=True, exist_ok=True)
    new = target.with_name(f"{target.name}.new")
    new.write_text(written, "utf-8")
    if target.is_file():
        new.chmod(target.stat().st_mode)
    if agent == "git":
        new.chmod(0o755)
    new.replace(target)
    return target


def _merged(before: str, ours: str, target: Path) -> str:
    """The settings that are there with our hooks, in place of those that an earlier call added."""
    try:
        known = json.loads(before) if before.strip() else {}
    except ValueError as error:
        fix = "Correct it, or add what is printed without --install."
        raise InputError(f"not JSON: {error}", place=str(target), fix=fix) from None
    added = json.loads(ours)
    hooks = known.get("hooks", {}) if isinstance(known, dict) else None
    if not isinstance(hooks, dict) or not all(isinstance(each, list) for each in hooks.values()):
        fix = "Add what is printed without --install by hand."
        raise InputError("`hooks` is expected to be lists by event", place=str(target), fix=fix)
    kept = {event: [e for e in entries if not _is_ours(e)] for event, entries in hooks.items()}
    for event, entries in added["hooks"].items():
        kept[event] = [*kept.get(event, []), *entries]
    merged = {**added, **known, "hooks": {event: each for event, each in kept.items() if each}}
    return json.dumps(merged, indent=2, ensure_ascii=False) + "\n"


def _is_ours(entry: Any) -> bool:
    return bool(_OURS.search(json.dumps(entry)))
