"""The commands `rule` and `rules`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from biblicus_context.cli.input.options import FormatOption
from biblicus_context.cli.output.terminal import Format, warn, width, write, write_json
from biblicus_context.errors import UnknownNameError
from biblicus_context.lint.engine.manual import manual
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.engine.rule_book import rule_book
from biblicus_context.lint.rules import by_family

_WIDEST = 100


def rule(
    code: Annotated[
        str, typer.Argument(metavar="CODE", help="Code or name of the rule.", show_default=False)
    ],
    output: FormatOption = Format.TEXT,
) -> None:
    """Explain a lint rule: what it finds, why it matters, and what to write instead.

    Examples:
      biblicus-context rule BC101
      biblicus-context rule unknown-key --format json
    """

    book = rule_book()
    found = book.by_selector.get(code) or book.by_selector.get(code.upper())
    if found is None:
        raise UnknownNameError("Rule", code, book.by_selector)
    if output is Format.JSON:
        write_json(_as_json(found))
    else:
        write(manual(found, min(width(), _WIDEST)))


def rules(output: FormatOption = Format.TEXT) -> None:
    """List all lint rules, including those of installed packages.

    Examples:
      biblicus-context rules
      biblicus-context rules --format json
    """

    book = rule_book()
    if output is Format.JSON:
        write_json([_as_json(each) for each in book.rules])
    else:
        columns = max(len(each.name) for each in book.rules)
        for title, members in by_family(book.rules):
            write(title)
            for each in members:
                write(f"  {each.code}  {each.name:{columns}}  {each.severity}")
    for notice in book.notices:
        warn(f"warning: {notice}")


def _as_json(rule: Rule) -> dict[str, Any]:
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": rule.severity,
        "finds": rule.finds,
        "why": rule.why,
        "instead": rule.instead,
        "bad": rule.bad,
        "good": rule.good,
    }
