"""The commands `rule` and `rules`."""

from __future__ import annotations

from typing import Any

from biblicus_context.cli.options.checking import RuleArguments, RulesArguments
from biblicus_context.cli.output.terminal import Format, warn, width, write, write_json
from biblicus_context.errors import UnknownNameError
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.engine.rule_book import rule_book
from biblicus_context.lint.rules import by_family

_WIDEST = 100


def rule(args: RuleArguments) -> None:
    book = rule_book()
    found = book.by_selector.get(args.code) or book.by_selector.get(args.code.upper())
    if found is None:
        raise UnknownNameError("Rule", args.code, book.by_selector)
    if args.output is Format.JSON:
        write_json(_as_json(found))
    else:
        write(found.manual.text(min(width(), _WIDEST)))


def rules(args: RulesArguments) -> None:
    book = rule_book()
    if args.output is Format.JSON:
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
        "finds": rule.manual.finds,
        "why": rule.manual.why,
        "instead": rule.manual.instead,
        "bad": rule.manual.bad,
        "good": rule.manual.good,
    }
