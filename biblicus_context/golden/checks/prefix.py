"""The stable prefix: the beginning of the previous call that stays unchanged, and so stays cached."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.assembly.result.result import ContextAssemblyResult
from biblicus_context.comparing.prefix import SharedPrefix, shared_prefix
from biblicus_context.golden.checks.call_result import CallResult, Mismatch
from biblicus_context.spec.expectation import Expectation

_PATH = "stable_prefix"


def check_prefix(expect: Expectation, seen: CallResult) -> Iterator[Mismatch]:
    """How much of the previous call is the prefix of this one."""
    wanted = expect.stable_prefix
    if wanted is None or seen.before is None:
        return
    whole = seen.before.token_count
    tokens, parting = _shared(seen.before, seen.result)
    share = tokens / whole if whole else 1.0
    found = f"{tokens:,} of {whole:,} tokens ({share:.1%}){parting}"
    if wanted.min_tokens is not None and tokens < wanted.min_tokens:
        expected = f"{wanted.min_tokens:,} tokens"
        yield Mismatch((_PATH, "min_tokens"), "the stable prefix is too short", expected, found)
    if wanted.min_share is not None and share < wanted.min_share:
        expected = f"{wanted.min_share:.1%}"
        yield Mismatch((_PATH, "min_share"), "the stable prefix is too short", expected, found)


def _shared(before: ContextAssemblyResult, after: ContextAssemblyResult) -> tuple[int, str]:
    """The tokens of what both begin with, framing included, and where they part."""
    assert before.draft is not None
    prefix = shared_prefix(before.messages, after.messages, before.draft.limits.meter)
    # All that was sent is the beginning of this call: what opens the answer counts as shared, too.
    return (before.token_count, "") if prefix.before is None else (prefix.tokens, _parting(prefix))


def _parting(prefix: SharedPrefix) -> str:
    place = f"messages[{prefix.messages}]"
    if prefix.after is None:
        return f"; {place} was removed"
    where = f"line {prefix.line}, column {prefix.column}"
    return f"; {place} differs from {where}: {prefix.before!r} became {prefix.after!r}"
