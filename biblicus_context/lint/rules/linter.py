"""Rules about linting itself, whose findings the linter makes."""

from __future__ import annotations

from typing import Final

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule

UNUSED_SUPPRESSION: Final = Rule("BC001", "unused-suppression", Severity.WARNING, __name__)
INVALID_SUPPRESSION: Final = Rule("BC002", "invalid-suppression", Severity.WARNING, __name__)
SUPPRESSION_WITHOUT_REASON: Final = Rule(
    "BC003", "suppression-without-reason", Severity.WARNING, __name__
)
FAILED_RULE: Final = Rule("BC004", "failed-rule", Severity.ERROR, __name__)
