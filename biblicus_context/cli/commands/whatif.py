"""The command `whatif`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import typer

from biblicus_context.cli.input.prepared_call import prepare
from biblicus_context.cli.options.assembling import WhatifArguments
from biblicus_context.cli.output.side_by_side import tables
from biblicus_context.cli.output.terminal import Format, console, show, write_json
from biblicus_context.comparing.what_if import WhatIfOutcome, what_if


def whatif(args: WhatifArguments) -> None:
    tokens = _tokens(args.budgets or ())
    outcomes = what_if(
        prepare(args.name, args.place, args.call).assembled, tokens or [None], args.models or [None]
    )
    if args.output is Format.JSON:
        write_json([_as_json(outcome) for outcome in outcomes])
    else:
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
