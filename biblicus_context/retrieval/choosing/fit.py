"""Which candidates fit into a page, within its tokens and characters, and what bound the others."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from biblicus_context.base.effects import Effectful, side_by_side
from biblicus_context.base.threads import run
from biblicus_context.errors import InputError
from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.choosing.choosing import Choosing
from biblicus_context.retrieval.choosing.left_out import LeftOut
from biblicus_context.retrieval.packs.cutting import within_characters
from biblicus_context.retrieval.requests.request import CHARACTERS_PER_TOKEN
from biblicus_context.text.counters import Counter


class PageLimits(NamedTuple):
    """What one page may hold."""

    blocks: int
    tokens: int | None
    characters: int | None
    counter: Counter
    query: str = ""
    written: Callable[[Candidate], str] | None = None
    """A block as the format of the pack writes it; None: as it is."""
    keeps_whole: bool = False
    """Whether the caller shortens what is longer than all of the tokens, unless an author sets a cap."""


class Chosen(NamedTuple):
    """A page: what it holds, and what was offered and is not on it."""

    chosen: tuple[Candidate, ...]
    left_out: tuple[LeftOut, ...] = ()
    notes: tuple[str, ...] = ()
    """What was corrected in the answers of compactors."""

    @property
    def has_more(self) -> bool:
        """Whether something was left out that a larger share may hold."""
        return any(each.cause == "share" for each in self.left_out)

    @property
    def is_full(self) -> bool:
        """Whether something was left out that a further page may hold."""
        return any(each.cause == "limit" and not each.detail for each in self.left_out)


def fit(
    candidates: Sequence[Candidate],
    choosing: Choosing,
    limits: PageLimits,
    sure: Collection[str] = (),
) -> Chosen:
    """What fits, what is `sure` first; the best block is there in any case.

    A block over its cap is shortened where it is placed. If the best one is longer than the characters
    allowed, it is cut with a note; if nothing of it fits the tokens allowed, the caller cuts it, as a
    setting of the plan says (its compactor). A compactor that makes slow calls comes last
    (`within_caps`): blocks count here what it will leave of them.
    """
    own = choosing.spec.maximum_total_characters
    limits = limits._replace(characters=_characters(limits, own))
    sized = _Sized.of(candidates, choosing, limits)
    sizes = _Sizes(limits, choosing.spec.join_with)
    chosen = _chosen(sized, sure, choosing, limits, sizes) or _best(candidates, limits)
    return Chosen(tuple(chosen), tuple(_left_out(sized, chosen, limits, sizes)))


def within_caps(page: Chosen, choosing: Choosing, limits: PageLimits) -> Effectful[Chosen]:
    """The page once a compactor that makes slow calls has shortened what is over its cap."""
    cap, tokens = choosing.item_cap, limits.tokens
    if tokens is None or not cap.makes_calls:
        return page
    counts = limits.counter.count_many([each.text for each in page.chosen])
    whole = [each._replace(tokens=n) for each, n in zip(page.chosen, counts, strict=True)]
    fitted = yield from side_by_side(
        [cap.fitted(each, tokens, limits.counter, limits.query) for each in whole]
    )
    both = [*zip(page.chosen, fitted, strict=True)]
    gone = (LeftOut(each, "share", tokens) for each, block in both if not block)
    notes = dict.fromkeys(block.note for block in fitted if block and block.note)
    kept = tuple(block.candidate for block in fitted if block)
    return Chosen(kept, (*page.left_out, *gone), (*page.notes, *notes))


def tokens_of(candidates: Sequence[Candidate], choosing: Choosing, counter: Counter) -> list[int]:
    """What each takes of a share, separator included."""
    between = choosing.spec.join_with
    return counter.count_many([each.text + between for each in candidates])


def _characters(limits: PageLimits, own: int | None) -> int | None:
    """The lower of both limits; the engine's own guess of four characters per token does not count."""
    asked, tokens = limits.characters, limits.tokens
    if asked is not None and tokens is not None and asked >= CHARACTERS_PER_TOKEN * tokens:
        asked = None
    return min((each for each in (asked, own) if each is not None), default=None)


class _Sizes:
    """The tokens of blocks as the pack writes them, counted for those that are looked at."""

    def __init__(self, limits: PageLimits, separator: str) -> None:
        self._limits, self._separator = limits, separator
        self._known: dict[str, int] = {}

    def __call__(self, each: Candidate) -> int:
        """The tokens of a block, with the separator after it."""
        written, tokens = self._limits.written, self._limits.tokens
        if written is None or tokens is None:
            return each.tokens
        if each.id not in self._known:
            text = written(each) + self._separator
            self._known[each.id] = self._limits.counter.count(text)
        return self._known[each.id]


class _Sized(NamedTuple):
    """The blocks with the tokens that they will have in the pack at most, separator included."""

    blocks: Sequence[Candidate]
    between: int = 0
    """The tokens of a separator; the last block needs none."""
    long: Mapping[str, int] = MappingProxyType({})
    """The blocks over their cap, with the tokens of their texts."""

    @classmethod
    def of(cls, candidates: Sequence[Candidate], choosing: Choosing, limits: PageLimits) -> _Sized:
        if limits.tokens is None:
            return cls(candidates)
        cap = choosing.item_cap
        between = limits.counter.count(choosing.spec.join_with)
        most = cap.most(limits.tokens)
        counts = tokens_of(candidates, choosing, limits.counter)
        sized: list[Candidate] = []
        long: dict[str, int] = {}
        for each, tokens in zip(candidates, counts, strict=True):
            is_over = tokens - between > most >= cap.least and cap.is_long(each.text)
            if is_over:
                long[each.id] = tokens - between
            planned = most if is_over else tokens
            sized.append(each if each.tokens == planned else each._replace(tokens=planned))
        # In order of rank the pack itself drops from the end what is over.
        blocks = sized if choosing.fills_in_order else _written(sized, limits)
        return cls(blocks, between, long)


def _written(sized: Sequence[Candidate], limits: PageLimits) -> Sequence[Candidate]:
    """With what the format adds to a block, as a selection weighs score against tokens.

    It is counted once for each kind of block: writing every block that is offered costs more than
    it chooses better.
    """
    if limits.written is None:
        return sized
    samples = {each.kind: each for each in reversed(sized)}
    texts = [limits.written(each._replace(text="")) for each in samples.values()]
    added = dict(zip(samples, limits.counter.count_many(texts), strict=True))
    return [each._replace(tokens=each.tokens + added[each.kind]) for each in sized]


def _chosen(
    sized: _Sized,
    sure: Collection[str],
    choosing: Choosing,
    limits: PageLimits,
    sizes: _Sizes,
) -> list[Candidate]:
    """What fits: what is guaranteed first, then what is selected of the others."""
    most = limits.characters
    small = [
        each
        for each in sized.blocks
        if most is None or len(each.text) <= most or each.id in sized.long
    ]
    first = [each for each in small if each.id in sure]
    others = [each for each in small if each.id not in sure]
    if limits.tokens is not None and not choosing.fills_in_order:
        room = limits.tokens - sum(each.tokens for each in first)
        others = _selected(others, choosing, max(0, room))
    return _fitting([*first, *others], sized, choosing, limits, sizes)


def _selected(others: Sequence[Candidate], choosing: Choosing, room: int) -> list[Candidate]:
    by_id = {each.id: each for each in others}
    selected = choosing.select(others, room)
    try:
        return [*{each.id: by_id[each.id] for each in selected}.values()]
    except (AttributeError, KeyError, TypeError):  # a selection that a caller added
        raise InputError(
            f"a selection returns some of the candidates it receives: found {selected!r:.200}",
            place=f"{choosing.place}: select",
        ) from None


def _fitting(
    ordered: Iterable[Candidate],
    sized: _Sized,
    choosing: Choosing,
    limits: PageLimits,
    sizes: _Sizes,
) -> list[Candidate]:
    """In order, without what does not fit; what is over its cap is shortened here, where it is placed."""
    found: list[Candidate] = []
    tokens, length = 0, 0
    separator = choosing.spec.join_with
    for each in ordered:
        if len(found) == limits.blocks:
            break
        if limits.tokens is not None and tokens + each.tokens - sized.between > limits.tokens:
            continue
        placed = _within_cap(each, sized, choosing, limits)
        if placed is None:
            continue
        needed = sizes(placed)
        if limits.tokens is not None and tokens + needed - sized.between > limits.tokens:
            continue
        longer = length + len(placed.text) + (len(separator) if found else 0)
        if limits.characters is not None and longer > limits.characters:
            continue
        found.append(placed)
        tokens, length = tokens + needed, longer
    return found


def _within_cap(
    block: Candidate, sized: _Sized, choosing: Choosing, limits: PageLimits
) -> Candidate | None:
    """The block within its part of the share, as far as that needs no slow calls; None if nothing fits."""
    whole, cap = sized.long.get(block.id), choosing.item_cap
    if whole is None or cap.makes_calls or (limits.keeps_whole and not cap.is_declared):
        return block
    most = block.tokens - sized.between
    if limits.written is not None and limits.tokens is not None:  # the cap is of the text alone
        around = limits.counter.count(limits.written(block._replace(text="")))
        most = min(most, limits.tokens - around)
    text = block._replace(tokens=whole)
    shortened = run(cap.shortened(text, most, limits.counter, limits.query))
    if shortened is None:
        return None
    kept = shortened.candidate
    return kept._replace(tokens=kept.tokens + sized.between)


def _best(candidates: Sequence[Candidate], limits: PageLimits) -> list[Candidate]:
    """The best block where none fits; the caller cuts it to its tokens, which is a setting of the plan."""
    found = []
    for each in candidates[:1]:
        text = each.text
        if limits.characters is not None:
            where = each.where or each.source or each.id
            text = within_characters(text, limits.characters, where)
        found.append(each._replace(text=text))
    return found


def _left_out(
    sized: _Sized, chosen: Sequence[Candidate], limits: PageLimits, sizes: _Sizes
) -> list[LeftOut]:
    """The others, each with what bound: the limit of blocks, the characters, the share, or the selection.

    A share may grow, and is named only where nothing else keeps a block out.
    """
    names = {each.id for each in chosen}
    others = [each for each in sized.blocks if each.id not in names]
    if len(chosen) >= limits.blocks:
        return [LeftOut(each, "limit", limits.blocks) for each in others]
    tokens = sum(map(sizes, chosen))
    length = sum(len(each.text) for each in chosen)

    def why(each: Candidate) -> LeftOut:
        if each.id in sized.long:
            return LeftOut(each, "share", limits.tokens)
        if limits.characters is not None and length + len(each.text) > limits.characters:
            return LeftOut(each, "maximum_total_characters", limits.characters)
        # By its text, as it was tried, and as the pack writes it, as it would have been placed.
        over = limits.tokens is not None and (
            tokens + each.tokens - sized.between > limits.tokens
            or tokens + sizes(each) - sized.between > limits.tokens
        )
        return LeftOut(each, "share", limits.tokens) if over else LeftOut(each, "select")

    return [why(each) for each in others]
