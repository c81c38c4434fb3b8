"""The manual of a rule, for a terminal."""

from __future__ import annotations

import textwrap

from biblicus_context.lint.engine.rule import Rule

_MARGIN = "    "


def manual(rule: Rule, width: int = 80) -> str:
    """The manual of one rule, for a terminal."""
    parts = [
        f"{rule.code} {rule.name} ({rule.severity})",
        *(_wrapped(text, width) for text in (rule.finds, rule.why)),
    ]
    if rule.bad:
        parts += ["Instead of:", textwrap.indent(printable(rule.bad), _MARGIN)]
    parts.append(_wrapped(rule.instead, width))
    if rule.bad:
        parts.append(textwrap.indent(printable(rule.good), _MARGIN))
    return "\n\n".join(part.rstrip("\n") for part in parts)


def printable(example: str) -> str:
    """An example with invisible characters as escapes."""
    return "".join(
        sign if sign == "\n" or sign.isprintable() else f"\\u{ord(sign):04x}" for sign in example
    )


def _wrapped(text: str, width: int) -> str:
    return textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)
