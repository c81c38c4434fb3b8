"""One pack from one retriever: asked again for less when it sent too much, and the best answer kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Final

from biblicus_context.assembly.draft import Attempt, Gathered
from biblicus_context.assembly.packs.asking import ask, first_page
from biblicus_context.assembly.packs.pages import Pages, page_of
from biblicus_context.assembly.packs.retrieved_row import fit_to_share, row_of_pages
from biblicus_context.assembly.packs.retriever_call import RetrieverCall
from biblicus_context.assembly.packs.row import (
    FittedPack,
    PackRow,
    nothing,
)
from biblicus_context.assembly.reasons import Reason
from biblicus_context.base.effects import Effectful
from biblicus_context.retrieval.packs.pack import ContextPackBlock
from biblicus_context.retrieval.relevance import best_of
from biblicus_context.retrieval.requests.request import PageRequest

_NOTHING: Final = nothing(PackRow())


NOT_QUOTED: Final = Gathered(
    _NOTHING,
    share=0,
    not_asked=Reason("not_quoted"),
)
"""The result of a pack that is placed only where it is quoted, and is not quoted."""


STARVED: Final = Gathered(_NOTHING, share=0)
"""The result of a pack that is not asked."""


def gather_retriever(call: RetrieverCall) -> Effectful[Gathered]:
    """One pack, asked for and fitted to its share; the best attempt counts, not the last."""
    if call.copy_share == 0:
        return STARVED
    page = first_page(call)
    attempts: list[Pages] = []
    for _ in range(call.limits.max_iterations):
        attempts.append((yield from ask(call, page, Pages())))
        if not (call.compacts and attempts[-1].too_large):
            break
        page = page.halved()
    return (yield from _gathered(call, attempts))


def refitted(before: Gathered, call: RetrieverCall) -> Effectful[Gathered]:
    """The pack under another share: from the blocks that are there; asked for more where they all fit."""
    if not before.attempts:
        return (yield from gather_retriever(call))
    after = yield from _best(call, before)
    share = call.share or 0
    if after.further is None or not after.fitted.is_whole or after.fitted.tokens >= share:
        return after
    asked = yield from after.further(share)
    if asked.failure or _worth(asked.fitted) < _worth(after.fitted):
        done = tuple(attempt._replace(further=None) for attempt in after.attempts)
        return after._replace(attempts=done, further=None).instead_of(asked)
    return asked.instead_of(after)


def chosen_again(before: Gathered, call: RetrieverCall) -> Effectful[Gathered]:
    """A combined retriever's pack without blocks that another pack has, from what its sources offered."""
    assert before.combined is not None
    state = before.combined.to_choose_again()
    pages = yield from ask(call, first_page(call), Pages(combined=state))
    return (yield from _gathered(call, [pages])).instead_of(before)


def _gathered(call: RetrieverCall, attempts: list[Pages]) -> Effectful[Gathered]:
    requests, is_cut = 0, False
    warnings: dict[str, None] = {}
    offered: list[Attempt] = []
    for pages in attempts:
        requests += pages.requests
        is_cut = is_cut or pages.is_cut
        warnings |= pages.warnings
        attempt = Attempt(
            row_of_pages(call, pages),
            pages.filled * call.part.copies,
            pages.pages,
            tuple(pages.repeated),
            pages.failure,
            pages.stop,
            # Only the first answer is worth continuing: the others are smaller on purpose.
            _further(call, pages) if call.compacts and not offered else None,
            pages.combined,
        )
        offered.append(attempt)
    gathered = Gathered(
        _NOTHING,
        query=call.query,
        requests=requests,
        is_cut=is_cut,
        warnings=tuple(warnings),
        relevance=best_of(each.relevance for each in attempts),
        attempts=tuple(offered),
        row_of=partial(_row_of, call),
    )
    return (yield from _best(call, gathered))


def _row_of(call: RetrieverCall, blocks: list[ContextPackBlock]) -> PackRow:
    return row_of_pages(call, page_of(call, blocks, 1))


def _best(call: RetrieverCall, offered: Gathered) -> Effectful[Gathered]:
    """The attempt that fills the share best; the best one counts, not the last."""
    fitted: FittedPack | None = None
    best = offered.attempts[0]
    for attempt in offered.attempts:
        candidate = yield from fit_to_share(call, attempt.row, attempt.filled)
        if fitted is None or _worth(candidate) > _worth(fitted):
            fitted, best = candidate, attempt
    assert fitted is not None
    return offered._replace(
        fitted=fitted,
        share=call.share,
        pages=best.pages,
        repeated=best.repeated,
        failure=best.failure,
        stop=best.stop,
        further=best.further,
        combined=best.combined,
        is_filled=False,
    )


def _further(call: RetrieverCall, pages: Pages) -> Callable[[int], Effectful[Gathered]] | None:
    """How to ask for more: the same page with more tokens, as the next one begins after what it held back."""
    if pages.held_back:
        return partial(_asked_for_more, call, pages)
    return None if pages.next_page is None else partial(_paged_on, call, pages, pages.next_page)


def _paged_on(
    call: RetrieverCall, pages: Pages, page: PageRequest, share: int
) -> Effectful[Gathered]:
    call = call._replace(share=share)
    first = first_page(call)
    following = page._replace(tokens=first.tokens, characters=first.characters)
    more = yield from ask(call, following, replace(pages.copy(), requests=0))
    return (yield from _gathered(call, [more]))


def _asked_for_more(call: RetrieverCall, pages: Pages, share: int) -> Effectful[Gathered]:
    call = call._replace(share=share)
    before = pages.combined.for_larger_share() if pages.combined else None
    asked = yield from ask(call, first_page(call), Pages(combined=before))
    return (yield from _gathered(call, [asked]))


def _worth(fitted: FittedPack) -> tuple[bool, int]:
    """A whole block is worth more than a cut one; then the fuller pack wins."""
    return fitted.keeps_a_whole_block, fitted.tokens
