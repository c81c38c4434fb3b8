"""Nested contexts that are larger than their share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from biblicus_context.assembly.limits import nested_limits
from biblicus_context.lint.facts.budgets.packs import PackInsert, pack_shares
from biblicus_context.lint.facts.budgets.sizes import authored_text, most_tokens
from biblicus_context.lint.facts.memoize import once_per_document
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.spec.context import ContextDeclaration


@dataclass(frozen=True, slots=True)
class OversizedInsert:
    """A nested context whose own text is larger than its share."""

    insert: PackInsert
    tokens: int
    room: int
    is_refused: bool
    """Whether the call raises an error, because no text may shrink."""

    @property
    def figures(self) -> str:
        """The sizes in words, for a finding."""
        text = f"the text of context '{self.insert.name}' has {self.tokens:,} tokens"
        return f"{text}, but its share is {self.room:,}"


@once_per_document
def oversized_inserts(plan: Plan, declared: Declarations) -> tuple[OversizedInsert, ...]:
    """The nested contexts of a document whose text does not fit their share."""
    return tuple(_overfull(plan, declared))


def _overfull(plan: Plan, declared: Declarations) -> Iterator[OversizedInsert]:
    shares = [share for share in pack_shares(plan, declared) if share.insert.nested]
    if not shares or not isinstance(plan.declaration, ContextDeclaration):
        return
    outer = declared.limits(plan.declaration)
    for share in shares:
        insert, nested = share.insert, share.insert.nested
        if outer is None or nested is None or not insert.always:
            continue
        limits = nested_limits(declared.policy(nested), outer, share.tokens, declared.yardsticks)
        text = authored_text(nested, declared)
        if limits.budget is None or most_tokens(text, outer) <= limits.budget:
            continue
        tokens = outer.counter.count(text)
        if tokens > limits.budget and share.tokens != 0:
            refused = outer.overflow == "error" or (
                outer.overflow == "compact" and insert.options.pin
            )
            if refused or limits.overflow == "compact":
                yield OversizedInsert(insert, tokens, limits.budget, refused)
