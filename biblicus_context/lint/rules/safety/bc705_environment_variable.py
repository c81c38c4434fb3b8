"""BC705: an environment variable in a setting."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.source.setting_texts import setting_texts
from biblicus_context.lint.rules.example_parts import ASKING

_VARIABLE: Final = re.compile(
    r"\$\{(?!input\b|context\b)[A-Za-z_]\w*[^{}\n]{0,40}\}|\$[A-Z_][A-Z0-9_]+\b|%[A-Z_][A-Z0-9_]+%"
    r"|\{\{?\s*env\.\w+\s*\}\}?"
)
_ARE_TEXT: Final = frozenset({"query", "mark", "join_with", "description"})


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    for setting in setting_texts(plan, declared):
        match = _VARIABLE.search(setting.value)
        if match and setting.path[-1] not in _ARE_TEXT:
            yield plan.violation(
                setting.path,
                "environment variables are not expanded",
                found=match[0],
                advice="Write the value, or pass the declaration from Python.",
            )


RULE = Rule(
    code="BC705",
    name="environment-variable",
    severity=Severity.WARNING,
    finds=(
        "A setting contains an environment variable: `${NAME}`, `$NAME`, `%NAME%` or `{env.NAME}`."
    ),
    why=(
        "Environment variables are not expanded in plans, so that a plan means the same on every "
        "machine. The setting keeps its dollar sign, and a folder of that name is opened."
    ),
    instead=(
        "Write a path relative to the file, or pass values that differ between machines from "
        "Python."
    ),
    bad="""\
kind: corpus
name: handbook
config:
  root: ${HANDBOOK}  # <- BC705
"""
    + ASKING,
    good="""\
kind: corpus
name: handbook
config:
  root: handbook
"""
    + ASKING,
    check=_check,
    depends_on=frozenset(),
)
