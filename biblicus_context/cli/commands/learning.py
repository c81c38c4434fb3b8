"""The commands `recall` and `premortem`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypeVar

from biblicus_context.cli.options.learning import (
    ContextType,
    LearningOptions,
    PremortemArguments,
    RecallArguments,
)
from biblicus_context.cli.output.terminal import Format, note, write, write_json
from biblicus_context.errors import InputError

if TYPE_CHECKING:
    from biblicus_context.systems.learning import ContextAssembler, FormattedContext

Answer = TypeVar("Answer")


def recall(args: RecallArguments) -> None:
    types = args.types or [*ContextType]
    _print(
        args.learning,
        args.output,
        lambda assembler, options: assembler.assemble_context(args.query, types, **options),
    )


def premortem(args: PremortemArguments) -> None:
    _print(
        args.learning,
        args.output,
        lambda assembler, options: assembler.get_premortem_context(
            args.domain, args.strategy, **options
        ),
    )


def _print(
    learning: LearningOptions,
    output: Format,
    ask: Callable[[ContextAssembler, dict[str, Any]], Awaitable[FormattedContext]],
) -> None:
    if output is Format.TEXT and not learning.store.exists():
        # A hook runs in every project; where nothing was learned, it must not load the engine.
        note(f"there is no learning memory in '{learning.store}' yet")
        return
    from biblicus_context.systems.learning import ContextAssembler, LearningStore  # 0.8 s

    options = {} if learning.budget is None else {"max_tokens": learning.budget}
    if learning.store.exists() and not learning.store.is_dir():
        problem, fix = (
            "not the folder of a learning memory",
            "Pass the folder of LearningStore.open.",
        )
        raise InputError(problem, place="--store", found=str(learning.store), fix=fix)
    store = LearningStore.open(learning.store, workspace=learning.workspace)
    try:
        found = asyncio.run(_awaited(ask(ContextAssembler(store.searcher()), options)))
    finally:
        store.close()
    if output is Format.JSON:
        write_json(asdict(found))
        return
    if found.markdown:
        write(found.markdown)
    else:
        note(_nothing(learning))
    for each in (*found.notes, *(f"{name}: {why}" for name, why in found.skipped.items())):
        note(each)


def _nothing(learning: LearningOptions) -> str:
    where = f"in '{learning.store}', workspace '{learning.workspace}'"
    within = f", or nothing of it fits into {learning.budget} tokens" if learning.budget else ""
    return f"nothing was learned about this yet {where}{within}"


async def _awaited(answer: Awaitable[Answer]) -> Answer:
    return await answer
