"""Asks one retriever page by page, while the pack is under its share."""

from __future__ import annotations

from types import NoneType
from typing import TYPE_CHECKING

from biblicus_context.assembly.packs.answers import answered, has_more_for_share
from biblicus_context.assembly.packs.pages import Pages, take
from biblicus_context.assembly.packs.retriever_call import RetrieverCall
from biblicus_context.assembly.packs.source_call import SourceCall, failure_of
from biblicus_context.assembly.reasons import Reason
from biblicus_context.base.deferred import Deferred
from biblicus_context.base.effects import Effectful
from biblicus_context.errors import RetrieverError
from biblicus_context.retrieval.packs.pack import ContextPack
from biblicus_context.retrieval.packs.writing.surrounding_text import Contents
from biblicus_context.retrieval.requests.abilities import FillsShare
from biblicus_context.retrieval.requests.request import CHARACTERS_PER_TOKEN, PageRequest

if TYPE_CHECKING:
    from biblicus_context.assembly.packs.combined import combined_page
else:  # what ranks and chooses is much of the import
    combined_page = Deferred("biblicus_context.assembly.packs.combined:combined_page")


def first_answer(call: RetrieverCall) -> Effectful[ContextPack]:
    """The first page as it comes, for callers that place nothing."""
    pack = yield from _one_page(call, first_page(call), Pages())
    return pack or ContextPack(text="", evidence_count=0)


def first_page(call: RetrieverCall) -> PageRequest:
    settings = call.source.settings
    characters = settings.maximum_total_characters
    share = call.copy_share
    if share is not None:
        guess = share * CHARACTERS_PER_TOKEN
        characters = min(characters or guess, guess)
    return PageRequest(
        query=call.query,
        offset=settings.offset,
        limit=call.source.limit(share),
        characters=characters,
        tokens=_for_blocks(call, share),
        metadata=call.metadata,
        counter=call.limits.counter.name,
        shorten=not call.limits.names_compactor,
    )


def _for_blocks(call: RetrieverCall, share: int | None) -> int | None:
    """What a title, a header and a footer leave of the share to a retriever that fills it."""
    around = call.around
    if share is None or around is None or not around.form.surrounds:
        return share
    if call.source.has_limit and call.combined is None:
        return share
    return max(1, share - sum(call.limits.counter.count_many(around.texts(Contents()))))


def ask(call: RetrieverCall, page: PageRequest, pages: Pages) -> Effectful[Pages]:
    """Page while pages are full, bring something new, and leave the share unfilled."""
    expansion = call.limits.expansion
    share = call.copy_share
    most = expansion.max_pages if expansion and share is not None else 1
    enough = _enough(share, expansion.min_fill_ratio if expansion else None)
    # A share of less than a token for each copy is none: there is nothing to ask for.
    while share != 0 and pages.pages < most:
        pack = yield from _one_page(call, page, pages)
        if pack is None:
            break
        pages.pages += 1
        new = take(call, pack, pages)
        pages.held_back = _is_held_back(call, pack, page.limit)
        if pages.pages == 1 and share is not None and pages.filled > share:
            # A first page over the share is asked for again with half of everything, rather than
            # paged on: only the retriever knows what the best smaller answer is. One that keeps to
            # the tokens of a request is over the share only by what the format adds.
            pages.too_large = not call.source.fills_share
            if new and pack.evidence_count >= page.limit and pages.pages < most:
                pages.next_page = page.following()
            break
        if not new or pack.evidence_count < page.limit:
            break
        if pages.pages == most and not pages.held_back and _may_have_more(call, pack):
            stop = _stop(call, page.limit)
            pages.stop = stop and stop._replace(is_known=pack.more and not call.combined)
        page = page.following()
        if pages.filled >= enough:
            pages.next_page = page if pages.pages < most else None
            break
    return pages


def _is_held_back(call: RetrieverCall, pack: ContextPack, limit: int) -> bool:
    if call.combined is not None:  # it counts what a further page may hold
        return pack.more and pack.evidence_count < limit
    return has_more_for_share(pack, limit)


def _may_have_more(call: RetrieverCall, pack: ContextPack) -> bool:
    """After a full page; retrievers that fill shares say it, of others nobody knows."""
    return pack.more or not isinstance(call.source.function, FillsShare | NoneType)


def _stop(call: RetrieverCall, limit: int) -> Reason | None:
    """The limit that ended paging: the one on pages, or on the blocks of the one page."""
    expansion = call.limits.expansion
    if expansion and call.share is not None:
        return Reason("max_pages", expansion.max_pages)
    # Asked again for less, or for all that the share can hold, the limit is not the author's.
    if limit != call.source.limit(None):
        return None
    default = "default " if call.source.settings.limit is None else ""
    return Reason("limit", limit, default)


def _enough(share: int | None, ratio: float | None) -> float:
    return 0 if share is None else int(share * (1.0 if ratio is None else ratio))


def _one_page(
    call: RetrieverCall, page: PageRequest, pages: Pages
) -> Effectful[ContextPack | None]:
    options = call.part.options
    try:
        if call.combined is not None:
            return (yield from _combined_page(call, call.combined, page, pages))
        pages.requests += 1
        answer = yield from answered(call.source, page, options.timeout_seconds, options.name)
    except RetrieverError as error:
        if options.on_error == "fail":
            raise
        pages.failure = failure_of(error, options.name)
        return None
    if answer is None:
        return None
    pages.is_cut = pages.is_cut or answer.is_cut
    pages.warnings |= dict.fromkeys(answer.pack.warnings)
    pages.relevance = pages.relevance or answer.pack.relevance
    return answer.pack


def _combined_page(
    call: RetrieverCall, combined: SourceCall, page: PageRequest, pages: Pages
) -> Effectful[ContextPack]:
    before, combined = pages.combined, combined._replace(written=call.written)
    elsewhere = {identity: reason.detail for identity, reason in call.duplicates.items()}
    combined = combined._replace(elsewhere=elsewhere)
    pack, pages.combined = yield from combined_page(combined, page, before, call.limits.counter)
    pages.requests += pages.combined.requests - (before.requests if before else 0)
    if pack is None:
        assert pages.combined.error is not None
        raise pages.combined.error
    pages.warnings |= dict.fromkeys(pack.warnings)
    pages.relevance = pages.relevance or pack.relevance
    return pack
