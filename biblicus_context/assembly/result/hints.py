"""Hints: which setting leaves evidence out although tokens of the total are unused.

A hint is given only where following it is sure to place more: a block that is known fits into what
every other limit leaves, or the retriever says that it has more, and there is room for a part of any
block. So no hint needs another assembly, and none is given for what nobody knows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, NamedTuple

from biblicus_context.assembly.draft import Draft, Gathered
from biblicus_context.assembly.limits import SMALLEST_REMNANT
from biblicus_context.assembly.packs.row import JOIN_SLACK
from biblicus_context.assembly.reasons import Cause
from biblicus_context.assembly.result.default_limits import is_by_default
from biblicus_context.assembly.result.receipt import (
    HintSetting,
    ReceiptBlock,
    ReceiptHint,
    ReceiptPart,
)
from biblicus_context.assembly.steps.parts import PackPart, Part, RetrieverSource

_UNUSED: Final = 20
"""One part in this many of the total: where fewer tokens are unused, there is nothing to change."""
_FOR_ANY_BLOCK: Final = 4 * SMALLEST_REMNANT
"""Tokens in which a part of any block can be placed."""
_SETTINGS: Final[Mapping[Cause, HintSetting]] = {
    "share": "pack_budget",
    "pack_budget": "pack_budget",
    "cap": "budget",
    "limit": "limit",
    "max_pages": "max_pages",
}
_ADVICE: Final[Mapping[HintSetting, str]] = {
    "pack_budget": "Raise pack_budget in the policy.",
    "budget": "Raise the pack's own budget.",
    "limit": "Raise limit in the config of the retriever, or expansion.max_pages in the policy.",
    "max_pages": "Raise expansion.max_pages in the policy, or limit in the config of the retriever.",
}


class _Bound(NamedTuple):
    """A pack that a setting bound."""

    setting: HintSetting
    figure: int
    reason: str
    pack: str
    blocks: int
    tokens: int
    enough: int | None
    """A figure with which a block more is placed, where one is known."""


class _Facts(NamedTuple):
    """What else is known of packs, by their places."""

    have_more: frozenset[str]
    """Their retrievers say that they have more."""
    unsure: frozenset[str]
    """Their characters are limited as well, and nobody knows which limit is reached first."""
    gave_up: frozenset[str]
    """They gave up blocks for their duplicates in other packs, which depends on what fits where."""
    texts: Mapping[tuple[str, str], str]
    """The texts of blocks, by pack and id."""
    packs: int
    """How many there are: what another one has may be a duplicate of what nobody has seen yet."""
    around: Mapping[str, int]
    """What the formats of packs write around the first block, by place."""
    placed: Mapping[str, frozenset[str]]
    """Where texts are placed: a block with one of those of another pack would be a duplicate."""
    by_default: frozenset[str]
    """Where nobody set the limit of blocks: that is a warning, not advice about a setting."""

    def is_new(self, place: str, block: ReceiptBlock) -> bool:
        """Whether the text of a block is known, and in no other pack."""
        text = self.texts.get((place, block.id))
        return text is not None and self.placed.get(text, frozenset()) <= {place}


class _Room(NamedTuple):
    """The tokens that limits leave to the packs of a context."""

    pack_budget: int | None
    """The figure of the pack budget, where one is set."""
    packs: int
    """What is left of it."""
    around: int
    """What is left of everything around the context."""
    most: int
    """What the pack budget can be."""

    @property
    def can_be_raised(self) -> bool:
        return self.pack_budget is not None and self.pack_budget < self.most

    @property
    def left(self) -> int:
        return min(self.packs, self.around)


def hints(draft: Draft, parts: Sequence[ReceiptPart]) -> tuple[ReceiptHint, ...]:
    """The hints of a finished assembly; none where its total is nearly full."""
    budget, used = draft.limits.budget, draft.tokens
    if budget is None or (budget - used) * _UNUSED < budget:
        return ()
    # On `error` a pack that gets more may be refused; texts that quote packs grow with them.
    if draft.limits.overflow == "error" or _quotes_packs(draft):
        return ()
    packs = [*_drafted(draft)]
    texts = {key: text for pack in packs for key, text in _texts(pack)}
    placed: dict[str, frozenset[str]] = {}
    for place, identity in _placed(parts, ""):
        text = texts.get((place, identity), "")
        placed[text] = placed.get(text, frozenset()) | {place}
    facts = _Facts(
        frozenset(pack.place for pack in packs if _has_more(pack)),
        frozenset(pack.place for pack in packs if _is_unsure(pack)),
        frozenset(pack.place for pack in packs if pack.gathered.given_up),
        texts,
        sum(1 for _ in _packs(parts)),
        {pack.place: _around(pack) for pack in packs},
        placed,
        frozenset(pack.place for pack in packs if is_by_default(pack.gathered)),
    )
    room = _room(draft.limits.pack_total, parts, budget - used, budget)
    groups: dict[tuple[HintSetting, int, str], list[_Bound]] = {}
    for bound in _bound(parts, room, facts, "", ""):
        # Packs share a pack budget; every other setting is a pack's own.
        own = "" if bound.setting == "pack_budget" else bound.pack
        groups.setdefault((bound.setting, bound.figure, own), []).append(bound)
    return tuple(_hint(group, budget, budget - used) for group in groups.values())


class _Pack(NamedTuple):
    """A pack of the draft, or of a context inside it."""

    place: str
    """With the places of the contexts around it."""
    part: Part
    gathered: Gathered
    draft: Draft


def _drafted(draft: Draft, outer: str = "") -> Iterator[_Pack]:
    """The packs, nested ones after the context that they are in."""
    for at, gathered in draft.packs.items():
        part = draft.parts[at]
        place = f"{outer}{part.place}"
        yield _Pack(place, part, gathered, draft)
        if gathered.nested is not None:
            yield from _drafted(gathered.nested, f"{place}/")


def _has_more(pack: _Pack) -> bool:
    return pack.gathered.stop is not None and pack.gathered.stop.is_known


def _is_unsure(pack: _Pack) -> bool:
    source = pack.part.source if isinstance(pack.part, PackPart) else None
    return isinstance(source, RetrieverSource) and _limits_characters(source)


def _texts(pack: _Pack) -> Iterator[tuple[tuple[str, str], str]]:
    gathered = pack.gathered
    for left in gathered.combined.left_out if gathered.combined else ():
        yield (pack.place, left.candidate.id), left.candidate.text
    if gathered.nested is None:
        for piece in gathered.fitted.row.pieces.values():
            if piece.block is not None:
                yield (pack.place, piece.block.evidence_item_id), piece.block.text


def _around(pack: _Pack) -> int:
    row = pack.gathered.fitted.row
    first = dict(islice(row.pieces.items(), 1))
    return row.format_tokens(first, pack.draft.limits.counter)


def _packs(parts: Iterable[ReceiptPart]) -> Iterator[ReceiptPart]:
    for part in parts:
        if part.kind == "context" and not part.parts:
            yield part
        yield from _packs(part.parts)


def _placed(parts: Iterable[ReceiptPart], outer: str) -> Iterator[tuple[str, str]]:
    for part in parts:
        place = f"{outer}{part.place}"
        yield from ((place, block.id) for block in part.blocks if block.given)
        yield from _placed(part.parts, f"{place}/")


def _quotes_packs(draft: Draft) -> bool:
    """Whether texts grow with packs, here or in a nested context."""
    nested = (gathered.nested for gathered in draft.packs.values() if gathered.nested)
    return any("context." in text for text in draft.context.texts) or any(
        map(_quotes_packs, nested)
    )


def _room(pack_budget: int | None, parts: Iterable[ReceiptPart], around: int, most: int) -> _Room:
    given = sum(part.given for part in parts if part.kind == "context")
    left = around if pack_budget is None else pack_budget - given
    return _Room(pack_budget, left, around, most)


def _limits_characters(source: RetrieverSource) -> bool:
    return source.settings.maximum_total_characters is not None or any(
        _limits_characters(each) for _, each in (source.combined.sources if source.combined else ())
    )


def _bound(
    parts: Iterable[ReceiptPart], room: _Room, facts: _Facts, path: str, outer: str
) -> Iterator[_Bound]:
    for part in parts:
        place, name = f"{path}{part.place}", f"{outer}{part.name}"
        # Of alternatives another one may be placed instead if more is asked for.
        if part.kind != "context" or place in facts.unsure or ".first[" in place:
            continue
        yield from _of_part(part, place, name, room, facts)
        limits = [limit - part.given for limit in (part.cap, part.share) if limit is not None]
        around = min(room.left, *limits, room.around)
        within = _room(part.pack_budget, part.parts, around, part.given + around)
        yield from _bound(part.parts, within, facts, f"{place}/", f"{name} / ")


def _of_part(
    part: ReceiptPart, place: str, name: str, room: _Room, facts: _Facts
) -> Iterator[_Bound]:
    if part.parts or part.action in ("not asked", "failed"):
        return
    if place in facts.gave_up:
        return  # with more room, it may have the better claim to a block that is larger elsewhere
    causes = dict.fromkeys([part.cause, *(block.cause for block in part.blocks)])
    for cause in causes:
        setting = _SETTINGS.get(cause) if cause else None
        if setting is None:
            continue
        if setting == "pack_budget" and (facts.gave_up or not room.can_be_raised):
            continue
        if setting == "budget" and part.cap != _figure(part, cause):
            continue  # it is the budget of the context around this pack
        if setting == "limit" and place in facts.by_default:
            continue
        out = [block for block in part.blocks if block.cause == cause]
        left = _left_by_others(part, setting, room)
        sized = [block for block in out if block.asked]
        new = [block for block in sized if facts.is_new(place, block)]
        if len(new) < len(sized):
            continue  # what another pack has may take the room, or move here
        around = 0 if part.given else facts.around.get(place, 0)
        needed = min((_needed(block) + around for block in new), default=left) + JOIN_SLACK
        unknown = not out and part.cause == cause and place in facts.have_more
        if needed > left and not (unknown and facts.packs == 1 and left >= _FOR_ANY_BLOCK):
            continue
        figure = room.pack_budget if setting == "pack_budget" else None
        entries: list[ReceiptPart | ReceiptBlock] = [part, *out]
        said = next(entry for entry in entries if entry.cause == cause)
        tokens = sum((block.asked or 0) - block.given for block in out)
        found = said.figure if figure is None else figure
        enough = part.given + needed if setting == "budget" else None
        yield _Bound(setting, found or 0, said.reason, name, len(out), tokens, enough)


def _left_by_others(part: ReceiptPart, setting: HintSetting, room: _Room) -> int:
    """The tokens that every limit leaves but the one that the setting raises."""
    own = [] if part.cap is None or setting == "budget" else [part.cap - part.given]
    return min(room.around if setting == "pack_budget" else room.left, *own, room.around)


def _needed(block: ReceiptBlock) -> int:
    """The tokens of a block that it has not."""
    return (block.asked or 0) - block.given


def _figure(part: ReceiptPart, cause: Cause | None) -> int | None:
    """The figure of a limit that bound a pack or its blocks."""
    if part.cause == cause:
        return part.figure
    return next((each.figure for each in part.blocks if each.cause == cause), None)


def _hint(group: list[_Bound], budget: int, unused: int) -> ReceiptHint:
    setting, figure, reason, *_ = group[0]
    packs = tuple(dict.fromkeys(bound.pack for bound in group))
    blocks, tokens = (sum(counts) for counts in zip(*(bound[4:6] for bound in group), strict=True))
    enough = group[0].enough
    named = ", ".join(f"'{pack}'" for pack in packs)
    named = f"pack{'s' if len(packs) > 1 else ''} {named}"
    what = f"stops {named}"
    if blocks:
        many = f"{blocks:,} block{'' if blocks == 1 else 's'}"
        what = f"left out {many}{f' ({tokens:,} tokens)' if tokens else ''} of {named}"
    limit = _limit(setting, figure, reason)
    text = f"{limit} {what}, while {unused:,} of {budget:,} tokens are unused. {_ADVICE[setting]}"
    text = text if enough is None else f"{text[:-1]} to {enough:,} or more."
    return ReceiptHint(
        setting=setting,
        figure=figure,
        packs=packs,
        left_out=blocks,
        unused=unused,
        enough=enough,
        text=text,
    )


def _limit(setting: HintSetting, figure: int, reason: str) -> str:
    """The limit in words; a reason that names no share says it already."""
    if setting in ("pack_budget", "budget"):
        name = "pack_budget" if setting == "pack_budget" else "its own budget"
        return f"{name} of {figure:,} token{'' if figure == 1 else 's'}"
    return reason
