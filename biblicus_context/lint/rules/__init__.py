"""The rules that come with the package, one file each; the first digit of a code is its family."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from biblicus_context.lint.engine.rule import Rule


@cache
def shipped_rules() -> tuple[Rule, ...]:
    """Every rule in this folder, by code."""
    names = (module.name for module in iter_modules(__path__) if module.name.startswith("bc"))
    rules = (import_module(f"{__name__}.{name}").RULE for name in names)
    return tuple(sorted(rules, key=lambda rule: rule.code))
