"""A finding in words: what was found, what is valid, what to do."""

from __future__ import annotations

from biblicus_context.errors import ContextError
from biblicus_context.lint.engine.finding import Finding


def sentence(finding: Finding) -> str:
    """One paragraph, worded as the engine words its errors."""
    error = ContextError(
        finding.problem, found=finding.found, valid=finding.valid, fix=finding.advice
    )
    return str(error)
