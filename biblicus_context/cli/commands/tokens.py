"""The command `tokens`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import typer

from biblicus_context.base.visible import one_line
from biblicus_context.cli.input.data_files import file_name, read_text
from biblicus_context.cli.options.reference import TokensArguments
from biblicus_context.cli.output.tables import Column, show_table
from biblicus_context.cli.output.terminal import Format, sayable, warn, write_json
from biblicus_context.errors import ContextError
from biblicus_context.text.counters import Counter, Counters

_DEFAULT = "o200k_base"


class _Counted(NamedTuple):
    file: str
    characters: int
    tokens: list[int]


def tokens(args: TokensArguments) -> None:
    known = Counters()
    counters = {name: known.get(name) for name in args.model or [_DEFAULT]}
    counted, unreadable = _counted(args.files or [Path("-")], list(counters.values()))
    if args.output is Format.JSON:
        write_json(_as_json(counters, counted))
    elif counted:
        _print(counters, counted)
    for problem in unreadable:
        warn(f"error: {problem}")
    if unreadable:
        raise typer.Exit(2)


def _counted(
    files: Sequence[Path], counters: Sequence[Counter]
) -> tuple[list[_Counted], list[str]]:

    counted: list[_Counted] = []
    unreadable: list[str] = []
    for file in files:
        try:
            text = read_text(file)
        except ContextError as error:
            unreadable.append(str(error))
        else:
            figures = [counter.count(text) for counter in counters]
            counted.append(_Counted(str(file), len(text), figures))
    return counted, unreadable


def _total(counted: Sequence[_Counted]) -> _Counted:
    columns = zip(*(each.tokens for each in counted), strict=True)
    return _Counted(
        "total", sum(each.characters for each in counted), [sum(one) for one in columns]
    )


def _print(counters: dict[str, Counter], counted: list[_Counted]) -> None:

    names = (f"{name} (about)" if each.estimated else name for name, each in counters.items())
    show_table(
        [
            Column("file", folds=True),
            Column("characters", right=True),
            *(Column(name, right=True, folds=True) for name in names),
        ],
        [
            [
                sayable(one_line(file_name(Path(each.file)))),
                *(f"{figure:,}" for figure in (each.characters, *each.tokens)),
            ]
            for each in [*counted, *([_total(counted)] if len(counted) > 1 else [])]
        ],
    )


def _as_json(counters: dict[str, Counter], counted: list[_Counted]) -> dict[str, object]:
    def row(each: _Counted) -> dict[str, object]:
        tokens = dict(zip(counters, each.tokens, strict=True))
        return {"file": each.file, "characters": each.characters, "tokens": tokens}

    total = _total(counted)
    return {
        "estimated": {name: counter.estimated for name, counter in counters.items()},
        "files": [row(each) for each in counted],
        "total": {
            "characters": total.characters,
            "tokens": dict.fromkeys(counters, 0) | dict(zip(counters, total.tokens, strict=False)),
        },
    }
