"""Asks one retriever: page by page while under budget, and again for less when it sent too much."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import repeat
from types import MappingProxyType, NoneType
from typing import Any, Final, NamedTuple

from biblicus_context.assembly.draft import Attempt, Gathered
from biblicus_context.assembly.limits import Limits
from biblicus_context.assembly.packs.answers import answered, blocks_in
from biblicus_context.assembly.packs.combined import SourceCall, combined_page, failure_of
from biblicus_context.assembly.packs.combined_state import CombinedState
from biblicus_context.assembly.packs.formatted import Arranged, Order, TextsAround
from biblicus_context.assembly.packs.piece import PackPiece
from biblicus_context.assembly.packs.reading_order import in_reading_order
from biblicus_context.assembly.packs.row import (
    FittedPack,
    PackRow,
    cut_to,
    drop_blocks,
    everything,
    far_too_much,
    nothing,
    notice,
)
from biblicus_context.assembly.reasons import Reason
from biblicus_context.assembly.steps.parts import Names, PackPart, RetrieverSource
from biblicus_context.base.effects import Effectful
from biblicus_context.errors import RetrieverError
from biblicus_context.retrieval.packs.block_format import WrittenBlock, fence_tag
from biblicus_context.retrieval.packs.evidence import score_of, source_of
from biblicus_context.retrieval.packs.ordering import best_at_both_ends, by_score, by_source
from biblicus_context.retrieval.packs.pack import ContextPack, ContextPackBlock
from biblicus_context.retrieval.packs.writing.pack_format import PackFormat
from biblicus_context.retrieval.packs.writing.surrounding_text import Contents
from biblicus_context.retrieval.packs.writing.values import ALONE, ItemPlace
from biblicus_context.retrieval.requests.fills_share import FillsShare
from biblicus_context.retrieval.requests.request import PageRequest
from biblicus_context.spec.format import FormatSpec
from biblicus_context.text.counters import count_followed

_AS_THEY_ARE: Final = PackFormat(FormatSpec())
REPEATED = Reason("duplicate", detail="the same evidence came before")

_NOTHING: Final = nothing(PackRow())

NOT_QUOTED: Final = Gathered(
    _NOTHING,
    share=0,
    not_asked=Reason("not_quoted"),
)
"""The result of a pack that is placed only where it is quoted, and is not quoted."""

STARVED: Final = Gathered(_NOTHING, share=0)
"""The result of a pack that is not asked."""

_ORDERS: Final[Mapping[str, Order]] = {
    "source": lambda placed: by_source(placed, lambda each: source_of(each.piece.block)),
    "edges": best_at_both_ends,
    "reading": in_reading_order,
}


class RetrieverCall(NamedTuple):
    """What it takes to ask one retriever for one pack."""

    part: PackPart
    source: RetrieverSource
    at: int
    """Where in the plan."""
    query: str
    share: int | None
    limits: Limits
    fills_share: bool
    """Whether the last block is cut at once to fill the share (else leftovers decide later)."""
    tag: str = ""
    """The tag of the fence around each block, where the plan asks for one."""
    guarded: bool = False
    """Whether a pack of the assembly is fenced, so that no block may spell a tag."""
    names: Names = MappingProxyType({})
    """The names of the call, for what a format writes."""
    metadata: Mapping[str, Any] = MappingProxyType({})
    """What the retriever gets in addition to the query and the limits."""
    duplicates: Mapping[str, Reason] = MappingProxyType({})
    """Blocks that another pack has, by id, with the reason to leave them out here."""
    combined: SourceCall | None = None
    """How the sources of a combined retriever are asked."""

    @property
    def copy_share(self) -> int | None:
        """The share of one copy, where the pack is placed more than once."""
        return None if self.share is None else self.share // self.part.copies

    @property
    def separator(self) -> str:
        """What separates two blocks."""
        form = self.part.form
        own = form.spec.separator if form else None
        return self.source.settings.join_with if own is None else own

    @property
    def arrangement(self) -> Arranged | None:
        """How the blocks are put in order, and what is written around them."""
        order, around = _ORDERS.get(self.part.options.ordering), self.around
        if around is None and self.guarded and "\n" not in self.separator:
            around = TextsAround(_AS_THEY_ARE, self.part.place, self.names, self.guarded)
        arranged = Arranged(order, around, self.tag)
        if around is None:
            return arranged if order else None
        adds = around.form.surrounds or around.form.is_numbered
        return arranged if order or adds or arranged.may_spell_tags else None

    @property
    def around(self) -> TextsAround | None:
        """What the format writes around the blocks."""
        form = self.part.form
        return TextsAround(form, self.part.place, self.names, self.guarded) if form else None

    @property
    def compacts(self) -> bool:
        """Whether a pack over its share is asked again, and then cut."""
        return (
            self.share is not None
            and self.limits.overflow == "compact"
            and not self.part.options.pin
        )


@dataclass(slots=True)
class _Pages:
    """The pages of one attempt, as they come in."""

    blocks: list[ContextPackBlock] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    """The page that each block came on."""
    written: list[WrittenBlock] = field(default_factory=list)
    """Each block as it is placed, where the plan asks for a format."""
    places: list[ItemPlace] = field(default_factory=list)
    """What each of these is written for."""
    texts: list[str] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    known: set[str] = field(default_factory=set)
    repeated: list[tuple[str, Reason]] = field(default_factory=list)
    filled: int = 0
    characters: int = 0
    requests: int = 0
    pages: int = 0
    too_large: bool = False
    held_back: bool = False
    """Whether the retriever has more, but kept to its budget."""
    next_page: PageRequest | None = None
    """Where paging can go on: it ended because the share was filled."""
    failure: str = ""
    warnings: dict[str, None] = field(default_factory=dict)
    """What the retriever says about its answers; each once, in order."""
    stop: Reason | None = None
    """What ended paging although the retriever may have more."""
    is_cut: bool = False
    """Whether a page had more blocks than are read."""
    combined: CombinedState | None = None
    """What the sources of a combined retriever said so far."""

    def copy(self) -> _Pages:
        """The same pages, to be continued."""
        return replace(
            self,
            blocks=[*self.blocks],
            numbers=[*self.numbers],
            written=[*self.written],
            places=[*self.places],
            texts=[*self.texts],
            tokens=[*self.tokens],
            known={*self.known},
            warnings={**self.warnings},
            repeated=[*self.repeated],
            next_page=None,
            stop=None,
        )


def tag_for(part: PackPart, context: str) -> str:
    """The tag of the fence that the plan wants; empty where it wants none."""
    form = part.form
    return fence_tag(context, part.place, part.name) if form and form.spec.fence else ""


def gather_retriever(call: RetrieverCall) -> Effectful[Gathered]:
    """One pack, asked for and fitted to its share; the best attempt counts, not the last."""
    if call.copy_share == 0:
        return STARVED
    page = _first_page(call)
    attempts: list[_Pages] = []
    for _ in range(call.limits.max_iterations):
        attempts.append((yield from _ask(call, page, _Pages())))
        if not (call.compacts and attempts[-1].too_large):
            break
        page = page.halved()
    return (yield from _gathered(call, attempts))


def first_answer(call: RetrieverCall) -> Effectful[ContextPack]:
    """The first page as it comes, for callers that place nothing."""
    pack = yield from _one_page(call, _first_page(call), _Pages())
    return pack or ContextPack(text="", evidence_count=0)


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


def _gathered(call: RetrieverCall, attempts: list[_Pages]) -> Effectful[Gathered]:
    requests, is_cut = 0, False
    warnings: dict[str, None] = {}
    offered: list[Attempt] = []
    for pages in attempts:
        requests += pages.requests
        is_cut = is_cut or pages.is_cut
        warnings |= pages.warnings
        attempt = Attempt(
            _row(call, pages),
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
        attempts=tuple(offered),
    )
    return (yield from _best(call, gathered))


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


def _further(call: RetrieverCall, pages: _Pages) -> Callable[[int], Effectful[Gathered]] | None:
    """How to ask for more: the next page, or the same page with more tokens."""
    if pages.next_page is not None:
        return partial(_paged_on, call, pages, pages.next_page)
    return partial(_asked_for_more, call, pages) if pages.held_back else None


def _paged_on(
    call: RetrieverCall, pages: _Pages, page: PageRequest, share: int
) -> Effectful[Gathered]:
    call = call._replace(share=share)
    first = _first_page(call)
    following = page._replace(tokens=first.tokens, characters=first.characters)
    more = yield from _ask(call, following, replace(pages.copy(), requests=0))
    return (yield from _gathered(call, [more]))


def _asked_for_more(call: RetrieverCall, pages: _Pages, share: int) -> Effectful[Gathered]:
    call = call._replace(share=share)
    before = pages.combined.for_larger_share() if pages.combined else None
    asked = yield from _ask(call, _first_page(call), _Pages(combined=before))
    return (yield from _gathered(call, [asked]))


def _worth(fitted: FittedPack) -> tuple[bool, int]:
    """A whole block is worth more than a cut one; then the fuller pack wins."""
    return fitted.keeps_a_whole_block, fitted.tokens


def _first_page(call: RetrieverCall) -> PageRequest:
    settings = call.source.settings
    characters = settings.maximum_total_characters
    share = call.copy_share
    if share is not None:
        characters = min(characters or share * 4, share * 4)
    return PageRequest(
        query=call.query,
        offset=settings.offset,
        limit=call.source.limit(share),
        characters=characters,
        tokens=_for_blocks(call, share),
        metadata=call.metadata,
        counter=call.limits.counter.name,
    )


def _for_blocks(call: RetrieverCall, share: int | None) -> int | None:
    """What a title, a header and a footer leave of the share to a retriever that fills it."""
    around = call.around
    if share is None or around is None or not around.form.surrounds or call.source.has_limit:
        return share
    return max(1, share - sum(call.limits.counter.count_many(around.texts(Contents()))))


def _ask(call: RetrieverCall, page: PageRequest, pages: _Pages) -> Effectful[_Pages]:
    """Page while pages are full, bring something new, and leave the share unfilled."""
    expansion = call.limits.expansion
    share = call.copy_share
    most = expansion.max_pages if expansion and share is not None else 1
    enough = _enough(share, expansion.min_fill_ratio if expansion else None)
    while pages.pages < most:
        pack = yield from _one_page(call, page, pages)
        if pack is None:
            break
        pages.pages += 1
        new = _take(call, pack, pages)
        pages.held_back = pack.more and pack.evidence_count < page.limit
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
        if pages.pages == most and _may_have_more(call, pack):
            pages.stop = _stop(call, page.limit)
        page = page.following()
        if pages.filled >= enough:
            pages.next_page = page if pages.pages < most else None
            break
    return pages


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
    call: RetrieverCall, page: PageRequest, pages: _Pages
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
    return answer.pack


def _combined_page(
    call: RetrieverCall, combined: SourceCall, page: PageRequest, pages: _Pages
) -> Effectful[ContextPack]:
    before = pages.combined
    pack, pages.combined = yield from combined_page(combined, page, before, call.limits.counter)
    pages.requests += pages.combined.requests - (before.requests if before else 0)
    if pack is None:
        assert pages.combined.error is not None
        raise pages.combined.error
    pages.warnings |= dict.fromkeys(pack.warnings)
    return pack


def _take(call: RetrieverCall, pack: ContextPack, pages: _Pages) -> bool:
    """Add a page's blocks; whether it brought anything new. Repeated evidence is only noted."""
    known, known_before = pages.known, len(pages.known)
    fresh: list[ContextPackBlock] = []
    for block in _blocks(call, pack, pages.pages):
        identity = block.evidence_item_id
        if identity in known:
            pages.repeated.append((identity, REPEATED))
            continue
        known.add(identity)
        if identity in call.duplicates:
            pages.repeated.append((identity, call.duplicates[identity]))
        else:
            fresh.append(block)
    for each in pack.repeated:
        reason = Reason("duplicate", detail=each.reason)
        pages.repeated.append((each.evidence_item_id, reason))
    kept = _within_characters(call, fresh, pages)
    texts = _texts(call, kept, pages)
    pages.blocks += kept
    pages.numbers += [pages.pages] * len(kept)
    pages.texts += texts
    # Measured with the separator after it; see `row_of`.
    tokens = count_followed(call.limits.counter, texts, call.separator)
    pages.tokens += tokens
    pages.filled += sum(tokens)
    return len(known) > known_before and (bool(kept) or not fresh)


def _within_characters(
    call: RetrieverCall, blocks: list[ContextPackBlock], pages: _Pages
) -> list[ContextPackBlock]:
    """The blocks within the author's limit; the first page got that limit in its request."""
    settings = call.source.settings
    most = settings.maximum_total_characters
    if most is None:
        return blocks
    kept: list[ContextPackBlock] = []
    for block in blocks:
        length = len(block.text) + (len(call.separator) if pages.characters else 0)
        if pages.pages > 1 and pages.characters + length > most:
            over = Reason("maximum_total_characters", most)
            pages.repeated.append((block.evidence_item_id, over))
        else:
            pages.characters += length
            kept.append(block)
    return kept


def _blocks(call: RetrieverCall, pack: ContextPack, page: int) -> list[ContextPackBlock]:
    blocks = blocks_in(pack, page)
    return by_score(blocks, score_of) if call.part.options.ordering == "score" else blocks


def _texts(call: RetrieverCall, blocks: list[ContextPackBlock], pages: _Pages) -> list[str]:
    form = call.part.form
    if (form is None or form.is_plain) and not call.guarded:
        return [block.text for block in blocks]
    form = form or _AS_THEY_ARE
    places = [ALONE] * len(blocks)
    if form.is_numbered:
        first = len(pages.texts)
        offered = first + len(blocks)
        # Right if this is the only page and everything is placed; else they are written again.
        places = [ItemPlace(rank + 1, offered, offered) for rank in range(first, offered)]
    written = [
        form.write(block, call.tag, guarded=call.guarded, place=place)
        for block, place in zip(blocks, places, strict=True)
    ]
    pages.places += places
    pages.written += written
    return ["".join(block) for block in written]


def _row(call: RetrieverCall, pages: _Pages) -> PackRow:
    """The blocks as a row; its pieces are made only when some are dropped or the receipt is read."""
    separator, arrangement, copies = call.separator, call.arrangement, call.part.copies
    around = call.around
    if around is not None and _found_nothing(pages):
        said = around.nothing_found()
        if said is not None:
            return notice(said, call.limits.counter, copies)
    whole: list[str] | None = None
    if arrangement is None:
        whole = [separator] * (2 * len(pages.texts) - 1)
        whole[::2] = pages.texts
    elif arrangement.is_fixed or (arrangement.keeps_order and pages.pages <= 1):
        whole = arrangement.whole(pages.texts, pages.blocks, separator)
    tokens = pages.tokens if copies == 1 else [each * copies for each in pages.tokens]
    return PackRow(tuple(tokens), partial(_pieces, call, pages), whole, arrangement, copies)


def _found_nothing(pages: _Pages) -> bool:
    """Whether the retriever answered, and that there is nothing."""
    return not (pages.blocks or pages.repeated or pages.failure)


def _pieces(call: RetrieverCall, pages: _Pages) -> list[PackPiece]:
    claim, form, separator = call.part.claim, call.part.form, call.separator
    written = pages.written or repeat(None)
    plain = form is None or form.is_plain
    return [
        PackPiece(
            key=str(rank),
            owner=call.part.place,
            text=text,
            parts=parts,
            place=pages.places[rank] if form and form.is_numbered else None,
            cut_note=form.note_on_cut(block) if form and form.cut_note else "",
            separator=separator,
            elastic=True,
            may_shorten=plain or form is None or form.may_shorten(block),
            importance=(claim.priority, claim.weight, -call.at, -rank),
            block=block,
            page=page,
            guarded=call.guarded,
        )
        for rank, (block, page, text, parts) in enumerate(
            zip(pages.blocks, pages.numbers, pages.texts, written, strict=False)
        )
    ]


def fit_to_share(call: RetrieverCall, row: PackRow, filled: int) -> Effectful[FittedPack]:
    """A row within the share of its pack; its pieces count `filled` one by one."""
    counter = call.limits.counter
    share = call.share
    if share is None or not call.compacts:
        return everything(row, counter)
    whole = far_too_much(row) if filled > 2 * share else everything(row, counter)
    if whole.tokens <= share:
        return whole
    fitted = drop_blocks(whole, share, counter)
    # Cutting a block now would be wasted where the total is over as well: `fit` tops packs up once
    # it knows what is left. A pack inside a nested context is not topped up, so it is cut here.
    if fitted.kept and not call.fills_share:
        return fitted
    return (yield from cut_to(fitted, share, call.limits.shortener(call.query)))
