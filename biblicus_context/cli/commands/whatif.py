"""The command `whatif`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from biblicus_context.cli.input.completion import complete
from biblicus_context.cli.input.options import (
    CallOptions,
    ContextName,
    FormatOption,
    ProjectOptions,
)
from biblicus_context.cli.input.prepared_call import prepare
from biblicus_context.cli.output.terminal import Format, console, show, write_json
from biblicus_context.comparing.what_if import WhatIfOutcome, what_if


def whatif(
    name: ContextName,
    place: ProjectOptions,
    call: CallOptions,
    budgets: Annotated[
        list[str] | None,
        typer.Option(
            "--budget",
            metavar="N,N,...",
            show_default=False,
            help="Budgets in tokens; may be repeated. Default: the policy's.",
        ),
    ] = None,
    models: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            metavar="NAME",
            show_default=False,
            help="Model; may be repeated. Default: the policy's.",
            autocompletion=complete("model"),
        ),
    ] = None,
    output: FormatOption = Format.TEXT,
) -> None:
    """Compare what a context keeps under several budgets or for several models.

    Examples:
      biblicus-context whatif support --examples --budget 90,120,2000
      biblicus-context whatif support --examples --model gpt-4o --model claude-sonnet-4-5
      biblicus-context whatif support --examples --budget 120 --format json
    """

    tokens = _tokens(budgets or ())
    outcomes = what_if(prepare(name, place, call).assembled, tokens or [None], models or [None])
    if output is Format.JSON:
        write_json([_as_json(outcome) for outcome in outcomes])
    else:
        from biblicus_context.cli.output.side_by_side import tables  # noqa: PLC0415 - loads rich

        screen = console()
        for number, table in enumerate(tables(outcomes, screen.width)):
            show(screen, *([""] if number else []), table)


def _tokens(written: Sequence[str]) -> list[int]:
    words = [word.strip() for each in written for word in each.split(",")]
    for word in words:
        if not word.isdecimal() or int(word) < 1:
            raise typer.BadParameter(
                f"{word!r} is not a whole number above 0.", param_hint="'--budget'"
            )
    return [int(word) for word in words]


def _as_json(outcome: WhatIfOutcome) -> dict[str, Any]:
    receipt = outcome.receipt
    about = receipt.model_dump(mode="json", exclude={"steps"}) if receipt else None
    return {
        "budget": outcome.budget,
        "model": outcome.model,
        "fits": receipt is not None,
        "needed": outcome.needed,
        "problem": outcome.problem or None,
        "receipt": about,
    }
