"""What expectations mean: one file for each thing that can be expected, in the order of a report."""

from __future__ import annotations

from biblicus_context.golden.checks.budget import check_fits, check_tokens, check_unused
from biblicus_context.golden.checks.call_result import Check
from biblicus_context.golden.checks.errors import check_error, no_error
from biblicus_context.golden.checks.history import check_history
from biblicus_context.golden.checks.packs import check_packs
from biblicus_context.golden.checks.parts import check_parts, check_roles
from biblicus_context.golden.checks.prefix import check_prefix
from biblicus_context.golden.checks.texts import check_texts

CHECKS: tuple[Check, ...] = (
    check_fits,
    check_tokens,
    check_unused,
    check_roles,
    check_texts,
    check_history,
    check_parts,
    check_packs,
    check_prefix,
)

__all__ = ["CHECKS", "check_error", "no_error"]
