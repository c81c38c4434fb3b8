"""The pages of one attempt at a pack, and what each new one adds."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from biblicus_context.assembly.packs.answers import blocks_in
from biblicus_context.assembly.packs.combined_state import CombinedState
from biblicus_context.assembly.packs.retriever_call import AS_THEY_ARE, RetrieverCall
from biblicus_context.assembly.reasons import Reason
from biblicus_context.retrieval.packs.block_format import WrittenBlock
from biblicus_context.retrieval.packs.evidence import score_of
from biblicus_context.retrieval.packs.ordering import by_score
from biblicus_context.retrieval.packs.pack import ContextPack, ContextPackBlock
from biblicus_context.retrieval.packs.writing.values import ALONE, ItemPlace
from biblicus_context.retrieval.relevance import Relevance
from biblicus_context.retrieval.requests.request import PageRequest
from biblicus_context.text.counters import count_followed

REPEATED = Reason("duplicate", detail="the same evidence came before")


@dataclass(slots=True)
class Pages:
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
    relevance: Relevance | None = None
    """Whether anything that was found is relevant, where the retriever decides it."""
    stop: Reason | None = None
    """What ended paging although the retriever may have more."""
    is_cut: bool = False
    """Whether a page had more blocks than are read."""
    combined: CombinedState | None = None
    """What the sources of a combined retriever said so far."""

    def copy(self) -> Pages:
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


def take(call: RetrieverCall, pack: ContextPack, pages: Pages) -> bool:
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
    for each in pack.left_out:
        reason = Reason(each.cause, each.figure, each.detail, score=each.score)
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


def page_of(call: RetrieverCall, blocks: list[ContextPackBlock], number: int) -> Pages:
    """These blocks as they would be on a page, however many they are."""
    pages = Pages(blocks=blocks, numbers=[number] * len(blocks), pages=number)
    pages.texts = _texts(call, blocks, pages)
    pages.tokens = count_followed(call.limits.counter, pages.texts, call.separator)
    return pages


def _within_characters(
    call: RetrieverCall, blocks: list[ContextPackBlock], pages: Pages
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


def _texts(call: RetrieverCall, blocks: list[ContextPackBlock], pages: Pages) -> list[str]:
    form = call.part.form
    if (form is None or form.is_plain) and not call.guarded:
        return [block.text for block in blocks]
    form = form or AS_THEY_ARE
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
