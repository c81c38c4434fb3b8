"""The commands `recall` and `premortem`."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from biblicus_context.cli.options.learning import (
    ContextType,
    LearningOptions,
    PremortemArguments,
    RecallArguments,
)
from biblicus_context.cli.output.terminal import Format, note, write, write_json
from biblicus_context.cli.resident import Answers, ask, seconds
from biblicus_context.errors import InputError


def recall(args: RecallArguments) -> None:
    types = [each.value for each in args.types or ContextType]
    _print(args.learning, args.output, "recall", [_query_of(args.query), types])


def _query_of(given: str) -> str:
    """The query; `-` is what a hook gets: the prompt in a mapping of JSON, or a text."""
    if given != "-":
        return given
    text = sys.stdin.read()
    try:
        known = json.loads(text)
    except ValueError:
        return text.strip()
    prompt = known.get("prompt") if isinstance(known, dict) else None
    if not isinstance(prompt, str):
        raise InputError("a text, or JSON with a `prompt`, is expected", place="QUERY", found=text)
    return prompt.strip()


def premortem(args: PremortemArguments) -> None:
    _print(args.learning, args.output, "premortem", [args.domain, args.strategy])


def _print(learning: LearningOptions, output: Format, command: str, arguments: list[Any]) -> None:
    if output is Format.TEXT and not learning.store.exists():
        # A hook runs in every project; where nothing was learned, it must not load the engine.
        note(f"there is no learning memory in '{learning.store}' yet")
        return
    if learning.store.exists() and not learning.store.is_dir():
        problem, fix = (
            "not the folder of a learning memory",
            "Pass the folder of LearningStore.open.",
        )
        raise InputError(problem, place="--store", found=str(learning.store), fix=fix)
    found = _answered(learning, learning.store, command, arguments)
    if output is Format.JSON:
        write_json(found)
        return
    if found["markdown"]:
        write(found["markdown"])
    else:
        note(_nothing(learning))
    for each in (*found["notes"], *(f"{name}: {why}" for name, why in found["skipped"].items())):
        note(each)


def answer(learning: LearningOptions, store: Path, command: str, arguments: list[Any]) -> str:
    """What the command prints of a memory that is there; empty if nothing is known."""
    return str(_answered(learning, store, command, arguments)["markdown"])


def _answered(
    learning: LearningOptions, store: Path, command: str, arguments: list[Any]
) -> dict[str, Any]:
    question = {
        "command": command,
        "arguments": arguments,
        "options": {} if learning.budget is None else {"max_tokens": learning.budget},
        "workspace": learning.workspace,
        "also": learning.also or [],
    }
    found = ask(store, question) if seconds() and not learning.no_resident else None
    return _asked_here(store, question) if found is None else found


def _asked_here(place: Path, question: Mapping[str, Any]) -> dict[str, Any]:
    answers = Answers(place)
    try:
        return answers(question)
    finally:
        answers.close()


def _nothing(learning: LearningOptions) -> str:
    where = f"in '{learning.store}', workspace '{learning.workspace}'"
    within = f", or nothing of it fits into {learning.budget} tokens" if learning.budget else ""
    return f"nothing was learned about this yet {where}{within}"
