"""The command `diff`."""

from __future__ import annotations

from typing import Any

from biblicus_context.assembly.result.saved import SavedResult
from biblicus_context.cli.input.comparison import compared
from biblicus_context.cli.options.assembling import DiffArguments
from biblicus_context.cli.output.diff_lines import lines
from biblicus_context.cli.output.saving import save
from biblicus_context.cli.output.terminal import Format, console, show, write_json
from biblicus_context.comparing.changes import Difference, difference
from biblicus_context.comparing.difference_page import difference_page
from biblicus_context.comparing.rows import ComparedPart


def diff(args: DiffArguments) -> None:
    one, other = compared(
        (args.before, args.after), args.place, args.call, (args.budget, args.model), args.context
    )
    found = difference(one, other)
    if args.html is not None:
        save(args.html, difference_page((args.before, one), (args.after, other), found))
        return
    if args.output is Format.JSON:
        write_json(_as_json(one, other, found))
        return
    show(console(), *lines((args.before, one), (args.after, other), found))


def _as_json(one: SavedResult, other: SavedResult, found: Difference) -> dict[str, Any]:
    prefix = found.prefix
    return {
        "tokens": {"before": one.receipt.used, "after": other.receipt.used},
        "messages": [
            {
                "before": each.before,
                "after": each.after,
                "role": each.role,
                "diff": list(each.lines),
            }
            for each in found.messages
        ],
        "parts": [_part(row) for row in found.parts],
        "prefix": {
            "tokens": prefix.tokens,
            "counter": found.counter,
            "same": prefix.is_whole,
            "message": None if prefix.is_whole else prefix.messages,
            "line": None if prefix.is_whole else prefix.line,
            "column": None if prefix.is_whole else prefix.column,
            "before": prefix.before,
            "after": prefix.after,
        },
    }


def _part(row: ComparedPart) -> dict[str, Any]:
    before, after = row.cells
    return {
        "part": row.label,
        "depth": row.depth,
        "before": before.given if before else None,
        "after": after.given if after else None,
        "action_before": before.action if before else None,
        "action_after": after.action if after else None,
    }
