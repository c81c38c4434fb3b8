"""Which blocks fit into a page, within its tokens and characters, and what bound the others."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from biblicus_context.base.effects import Effectful, side_by_side
from biblicus_context.errors import InputError
from biblicus_context.retrieval.combined.combination import Combination
from biblicus_context.retrieval.combined.page import LeftOut, Merged, PageLimits
from biblicus_context.retrieval.combined.pool import Pooled
from biblicus_context.retrieval.packs.cutting import within_characters
from biblicus_context.retrieval.select import RankOrder
from biblicus_context.spec.combined import CombinedSpec
from biblicus_context.text.counters import Counter

_A_GUESS: Final = 4
"""Characters per token that the engine requests if the plan does not limit them."""


def filled(
    fresh: Sequence[Pooled], sure: Collection[str], combination: Combination, limits: PageLimits
) -> Merged:
    """What fits, what is guaranteed first; the best block is there in any case."""
    characters = _characters(limits, combination.spec.maximum_total_characters)
    limits = limits._replace(characters=characters)
    sized = _sized(fresh, combination, limits)
    chosen = _chosen(sized, sure, combination, limits) or _best(sized, limits)
    return Merged(tuple(chosen), tuple(_left_out(sized, chosen, limits)))


def within_caps(
    page: Merged, combination: Combination, limits: PageLimits, query: str
) -> Effectful[Merged]:
    """The page with every block within its part of the share; compactors may make slow calls."""
    cap, tokens = combination.item_cap, limits.tokens
    if cap is None or tokens is None:
        return page
    whole = _counted(page.chosen, combination.spec, limits.counter)
    fitted = yield from side_by_side(
        [cap.fitted(each.candidate, tokens, limits.counter, query) for each in whole]
    )
    both = [*zip(page.chosen, fitted, strict=True)]
    cut = tuple(
        each._replace(facts=block.candidate, tokens=block.candidate.tokens)
        for each, block in both
        if block
    )
    gone = (LeftOut(each, "share", tokens) for each, block in both if not block)
    notes = tuple(dict.fromkeys(block.note for block in fitted if block and block.note))
    return Merged(cut, (*page.left_out, *gone), notes)


def _sized(
    pool: Sequence[Pooled], combination: Combination, limits: PageLimits
) -> Sequence[Pooled]:
    """The blocks with the tokens that they will have within their part of the share."""
    if limits.tokens is None:
        return pool
    sized, cap = _counted(pool, combination.spec, limits.counter), combination.item_cap
    if cap is not None:
        most = cap.most(limits.tokens)
        sized = [
            each._replace(tokens=most)
            if each.tokens > most and cap.is_long(each.facts.text)
            else each
            for each in sized
        ]
    # In order of rank the pack itself drops from the end what is over.
    return sized if isinstance(combination.select, RankOrder) else _written(sized, limits)


def _written(sized: Sequence[Pooled], limits: PageLimits) -> Sequence[Pooled]:
    """With what the format adds to a block, as a selection weighs score against tokens.

    It is counted once for each kind of block: writing every block that is offered costs more than
    it chooses better.
    """
    write = limits.written
    if write is None:
        return sized
    samples = {each.facts.kind: each.block for each in reversed(sized)}
    texts = (write(each.model_copy(update={"text": ""})) for each in samples.values())
    added = dict(zip(samples, limits.counter.count_many([*texts]), strict=True))
    return [each._replace(tokens=each.tokens + added[each.facts.kind]) for each in sized]


def _counted(pool: Sequence[Pooled], spec: CombinedSpec, counter: Counter) -> list[Pooled]:
    counts = counter.count_many([each.facts.text + spec.join_with for each in pool])
    return [each._replace(tokens=tokens) for each, tokens in zip(pool, counts, strict=True)]


def _chosen(
    sized: Sequence[Pooled], sure: Collection[str], combination: Combination, limits: PageLimits
) -> list[Pooled]:
    """What fits: what is guaranteed first, then what is selected of the others."""
    most = limits.characters
    small = [each for each in sized if most is None or len(each.facts.text) <= most]
    first = [each for each in small if each.id in sure]
    others = [each for each in small if each.id not in sure]
    if limits.tokens is not None and not isinstance(combination.select, RankOrder):
        room = limits.tokens - sum(each.tokens for each in first)
        others = _selected(others, combination, max(0, room))
    return _fitting([*first, *others], combination.spec, limits)


def _selected(others: Sequence[Pooled], combination: Combination, room: int) -> list[Pooled]:
    by_id = {each.id: each for each in others}
    selected = combination.select([each.candidate for each in others], room)
    try:
        return [*{facts.id: by_id[facts.id] for facts in selected}.values()]
    except (AttributeError, KeyError, TypeError):  # a selection that a caller added
        raise InputError(
            f"a selection returns some of the candidates it receives: found {selected!r:.200}",
            place=f"{combination.place}: select",
        ) from None


def _characters(limits: PageLimits, own: int | None) -> int | None:
    """The lower of both limits; the engine's own guess of four characters per token does not count."""
    asked = limits.characters
    if asked is not None and limits.tokens is not None and asked >= _A_GUESS * limits.tokens:
        asked = None
    return min((each for each in (asked, own) if each is not None), default=None)


def _fitting(ordered: Iterable[Pooled], spec: CombinedSpec, limits: PageLimits) -> list[Pooled]:
    """In order, without what does not fit."""
    found: list[Pooled] = []
    tokens, length = 0, 0
    for each in ordered:
        if len(found) == limits.blocks:
            break
        longer = length + len(each.facts.text) + (len(spec.join_with) if found else 0)
        if limits.characters is not None and longer > limits.characters:
            continue
        if limits.tokens is not None and tokens + each.tokens > limits.tokens:
            continue
        found.append(each)
        tokens, length = tokens + each.tokens, longer
    return found


def _best(pool: Sequence[Pooled], limits: PageLimits) -> list[Pooled]:
    """The best block where none fits; the caller cuts it to its tokens, which is a setting of the plan."""
    found = []
    for each in pool[:1]:
        facts = each.facts
        if limits.characters is not None:
            where = facts.where or facts.source or facts.id
            facts = facts._replace(text=within_characters(facts.text, limits.characters, where))
        found.append(each._replace(facts=facts))
    return found


def _left_out(
    sized: Iterable[Pooled], chosen: Sequence[Pooled], limits: PageLimits
) -> list[LeftOut]:
    """The others, each with what bound: the limit of blocks, the share, the characters, or the selection."""
    names = {each.id for each in chosen}
    others = [each for each in sized if each.id not in names]
    if len(chosen) >= limits.blocks:
        return [LeftOut(each, "limit", limits.blocks) for each in others]
    tokens = sum(each.tokens for each in chosen)
    length = sum(len(each.facts.text) for each in chosen)

    def why(each: Pooled) -> LeftOut:
        if limits.tokens is not None and tokens + each.tokens > limits.tokens:
            return LeftOut(each, "share", limits.tokens)
        if limits.characters is not None and length + len(each.facts.text) > limits.characters:
            return LeftOut(each, "maximum_total_characters", limits.characters)
        return LeftOut(each, "select")

    return [why(each) for each in others]
