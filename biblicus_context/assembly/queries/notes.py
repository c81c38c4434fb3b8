"""What a receipt says of rewritten queries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from biblicus_context.assembly.draft import Draft

_MOST_SHOWN: Final = 120


def rewrite_notes(draft: Draft) -> Iterator[str]:
    """What became of queries, here and in nested contexts; the same is said once."""
    yield from dict.fromkeys(_notes(draft))


def _notes(draft: Draft) -> Iterator[str]:
    for query, (rewritten, failure) in draft.rewrites.items():
        if rewritten is None:
            yield f"query_rewriter {failure}; asked without it: {_short(query)}"
        elif rewritten != query:
            yield f"query_rewriter: {_short(query)} is asked as {_short(rewritten)}"
    for gathered in draft.packs.values():
        if gathered.nested is not None:
            yield from _notes(gathered.nested)


def _short(query: str) -> str:
    flat = " ".join(query.split())
    return f"'{flat if len(flat) <= _MOST_SHOWN else flat[: _MOST_SHOWN - 1] + '…'}'"
