"""Warnings of a receipt: which packs may lack evidence that nobody decided to leave out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from biblicus_context.assembly.draft import Draft, Gathered
from biblicus_context.assembly.steps.parts import PackPart, RetrieverSource

_UNUSED: Final = 20
"""Where a share has less than one part in this many left, it is the share that is full."""


def default_limit_warnings(draft: Draft) -> Iterator[str]:
    """The packs that got as many blocks as are requested by default, and may have more."""
    for at, gathered in draft.packs.items():
        part = draft.parts[at]
        if gathered.nested is not None:
            yield from default_limit_warnings(gathered.nested)
        elif is_by_default(gathered) and not _is_full(draft, gathered):
            assert isinstance(part, PackPart)
            assert isinstance(part.source, RetrieverSource)
            yield _warning(part.name, part.source, gathered)


def is_by_default(gathered: Gathered) -> bool:
    """Whether the number of blocks that is requested by default ended paging."""
    return gathered.stop is not None and bool(gathered.stop.detail)


def _is_full(draft: Draft, gathered: Gathered) -> bool:
    limits = [(gathered.share, gathered.fitted.tokens), (draft.limits.budget, draft.tokens)]
    if draft.level:
        limits = limits[:1]
    full = ((most - used) * _UNUSED < most for most, used in limits if most is not None)
    return not gathered.fitted.is_whole or any(full)


def _warning(name: str, source: RetrieverSource, gathered: Gathered) -> str:
    assert gathered.stop is not None
    blocks = f"{gathered.stop.figure} blocks"
    if source.fills_share:
        return (
            f"pack '{name}' has only the {blocks} that are requested by default, as no budget gives it "
            "a share, and its retriever has more. Set input_budget or pack_budget in the policy, or "
            "limit in the config of the retriever."
        )
    has_more = "has more" if gathered.stop.is_known else "may have more"
    return (
        f"pack '{name}' has only the {blocks} that are requested by default, and its retriever "
        f"{has_more}. Set limit in the config of the retriever, or expansion in the policy."
    )
