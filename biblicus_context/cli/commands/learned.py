"""The commands `remember`, `experience`, `index-code` and `forget`."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from hashlib import sha256
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from biblicus_context.cli.options.learning import (
    ExperienceArguments,
    ForgetArguments,
    IndexCodeArguments,
    LearningPlace,
    RememberArguments,
)
from biblicus_context.cli.output.terminal import Format, write, write_json
from biblicus_context.errors import InputError

if TYPE_CHECKING:
    from biblicus_context.systems.learning import LearningStore

Answer = TypeVar("Answer")


def remember(args: RememberArguments) -> None:
    text = (sys.stdin.read() if args.text == "-" else args.text).strip()
    if not text:
        raise InputError("a text to remember is expected", place="TEXT", found=args.text)
    memory = _learning().Memory(
        id=args.id or _named("m", text),
        content=text,
        category=args.category,
        importance=args.importance,
        created_at=datetime.now(UTC),
    )
    _in_store(args.place, lambda store: store.record_memory(memory))
    _say(args.output, memory.id, memory.model_dump(mode="json"))


def experience(args: ExperienceArguments) -> None:
    said = [args.domain, args.goal, args.action, args.result]
    learned = _learning().Experience(
        id=args.id or _named("e", *said),
        domain=args.domain,
        strategy=args.strategy,
        goal=args.goal,
        hypothesis=args.hypothesis,
        action=args.action,
        prediction=args.prediction,
        outcome_status=args.outcome.value,
        outcome_result=args.result,
        surprise=args.surprise,
        root_cause=args.root_cause,
        lesson=args.lesson,
        confidence_tier=args.tier.value,
        created_at=datetime.now(UTC),
    )
    _in_store(args.place, lambda store: store.record_experience(learned))
    _say(args.output, learned.id, learned.model_dump(mode="json"))


def index_code(args: IndexCodeArguments) -> None:
    if not args.root.is_dir():
        raise InputError("no such folder", place="FOLDER", found=str(args.root))

    async def index(store: LearningStore) -> list[str]:
        code = await store.index_code(args.root)
        said = [f"code: {code}"]
        if (args.root / ".git").exists():
            said.append(f"commits: {await store.index_commits(args.root)}")
        return said

    said = _in_store(args.place, index)
    _say(args.output, "\n".join(said), {"summaries": said})


def forget(args: ForgetArguments) -> None:
    if not args.place.store.is_dir():
        problem = "there is no learning memory"
        raise InputError(problem, place="--store", found=str(args.place.store))
    gone = _in_store(args.place, lambda store: store.forget(*args.ids))
    lines = [f"{name}: {', '.join(ids)}" for name, ids in gone.removed.items()]
    until = gone.remains_until
    lines += [f"bytes of it may be in files until {until}"] if until else []
    known = {**gone._asdict(), "at": gone.at.isoformat()}
    known["remains_until"] = until.isoformat() if until else None
    if lines or args.output is Format.JSON:
        _say(args.output, "\n".join(lines), known)
    if gone.unknown:
        raise InputError("nothing has this id", place="ID", found=", ".join(gone.unknown))


def _in_store(place: LearningPlace, call: Callable[[LearningStore], Awaitable[Answer]]) -> Answer:
    async def called(store: LearningStore) -> Answer:
        return await call(store)

    store = _learning().LearningStore.open(place.store, workspace=place.workspace)
    try:
        return asyncio.run(called(store))
    finally:
        store.close()


def _learning() -> ModuleType:
    from biblicus_context.systems import learning  # 0.8 s

    return learning


def _named(kind: str, *texts: str) -> str:
    """An id that the same texts have each time."""
    said = "\0".join(" ".join(each.split()) for each in texts)
    return f"{kind}-{sha256(said.encode()).hexdigest()[:12]}"


def _say(output: Format, text: str, known: dict[str, Any]) -> None:
    write_json(known) if output is Format.JSON else write(text)
