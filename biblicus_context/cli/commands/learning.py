"""The commands `recall` and `premortem`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Any

from biblicus_context.cli.options.learning import (
    LearningOptions,
    PremortemArguments,
    RecallArguments,
)
from biblicus_context.cli.output.terminal import Format, note, write, write_json
from biblicus_context.errors import InputError
from biblicus_context.systems.learning import (
    CONTEXT_TYPES,
    ContextAssembler,
    FormattedContext,
    LearningStore,
)


def recall(args: RecallArguments) -> None:
    _print(
        args.learning,
        args.output,
        lambda assembler, options: assembler.assemble_context(
            args.query, args.types or CONTEXT_TYPES, **options
        ),
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
    elif found.markdown:
        write(found.markdown)
    else:
        note(_nothing(learning))


def _nothing(learning: LearningOptions) -> str:
    if not learning.store.exists():
        return f"there is no learning memory in '{learning.store}' yet"
    where = f"in '{learning.store}', workspace '{learning.workspace}'"
    within = f", or nothing of it fits into {learning.budget} tokens" if learning.budget else ""
    return f"nothing was learned about this yet {where}{within}"


async def _awaited(answer: Awaitable[FormattedContext]) -> FormattedContext:
    return await answer
