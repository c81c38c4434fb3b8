"""The message of a finding: what was found, what is valid, what to do."""

from __future__ import annotations

from biblicus_context.base.visible import visible
from biblicus_context.errors import ContextError
from biblicus_context.lint.engine.finding import Finding


def sentence(finding: Finding) -> str:
    """One paragraph, in the form of the engine's errors; control characters are escaped."""
    error = ContextError(
        finding.problem, found=finding.found, valid=finding.valid, fix=finding.advice
    )
    return visible(str(error)).replace("\r\n", "\n")
