"""An ingest that fills a workspace leaves it marked as partial until it has finished."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from biblicus_context.stores import Principal, Store

if TYPE_CHECKING:
    from biblicus_context.embedders import Embedder


@contextmanager
def filling(
    store: Store,
    principal: Principal,
    embedder: Embedder | None,
    quick: Embedder | None = None,
    *,
    is_first: bool,
) -> Iterator[None]:
    """What an ingest writes inside of: until it has finished, a search would miss what is not there yet.

    That is true of the first ingest, of the one after an interrupted one, and of one whose embedder has
    no vectors yet, nor a quick one in its place. Later ones replace documents one by one: until then a search finds the older ones.
    """
    with store.view(principal) as view:
        is_filled = not (is_first or view.state.is_partial)
        if is_filled and embedder is not None:
            info = view.info()
            models = {each.model for each in (embedder, quick) if each is not None}
            is_filled = not info.blocks or not models.isdisjoint(info.vectors)
    if not is_filled:
        store.record_filling(principal, finished=False)
    yield  # an error or a kill leaves the mark, and the next ingest removes it
    if not is_filled:
        store.record_filling(principal, finished=True)
