"""The command `whatif`."""

from __future__ import annotations

from typing import Any

from biblicus_context.cli.input.budgets import budgets_of
from biblicus_context.cli.input.prepared_call import prepare
from biblicus_context.cli.options.assembling import WhatifArguments
from biblicus_context.cli.output.saving import save
from biblicus_context.cli.output.side_by_side import hints, tables
from biblicus_context.cli.output.terminal import Format, console, show, write_json
from biblicus_context.comparing.outcomes import WhatIfOutcome, what_if
from biblicus_context.comparing.what_if_page import what_if_page


def whatif(args: WhatifArguments) -> None:
    tokens = budgets_of(args.budgets or ())
    outcomes = what_if(
        prepare(args.name, args.place, args.call).assembled, tokens or [None], args.models or [None]
    )
    if args.html is not None:
        save(args.html, what_if_page(args.name, outcomes))
    elif args.output is Format.JSON:
        write_json([_as_json(outcome) for outcome in outcomes])
    else:
        screen = console()
        for number, table in enumerate(tables(outcomes, screen.width)):
            show(screen, *([""] if number else []), table)
        show(screen, *hints(outcomes, screen))


def _as_json(outcome: WhatIfOutcome) -> dict[str, Any]:
    receipt = outcome.receipt
    about = receipt.to_json() if receipt else None
    return {
        "budget": outcome.budget,
        "model": outcome.model,
        "fits": receipt is not None,
        "needed": outcome.needed,
        "problem": outcome.problem or None,
        "receipt": about,
    }
