"""Duplicates across the packs of one context: the block of the higher priority stays, then the better one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple, TypeAlias

from biblicus_context.assembly.draft import Attempt, Draft, Gathered
from biblicus_context.assembly.packs.paging import chosen_again, gather_retriever
from biblicus_context.assembly.packs.piece import PackPiece
from biblicus_context.assembly.packs.retrieved_row import fit_to_share
from biblicus_context.assembly.packs.retriever_call import RetrieverCall
from biblicus_context.assembly.packs.row import FittedPack, PackRow
from biblicus_context.assembly.reasons import Reason
from biblicus_context.assembly.steps.parts import NestedSource, PackPart, RetrieverSource
from biblicus_context.base.effects import Effectful, side_by_side
from biblicus_context.retrieval.duplicates import Duplicate, KeptTexts, TextEntry
from biblicus_context.retrieval.packs.evidence import score_of, source_of
from biblicus_context.retrieval.packs.pack import ContextPackBlock
from biblicus_context.spec.dedupe import PackDedupeSpec

_ROUNDS: Final = 3
"""Blocks that fill up a pack may be duplicates again, so the search is repeated, but not without end."""
_SHORT: Final = 20
"""Characters below which a text is too short to be a duplicate: a second "Yes." may answer another question.
Who declares `near` says that texts of different packs may say the same, however short they are."""
_WORDS: Final = 8

Reasons: TypeAlias = Mapping[str, Reason]
"""Why blocks are left out, by their ids."""
Ask: TypeAlias = Callable[[Draft, int, PackPart], RetrieverCall]


class _Offer(NamedTuple):
    """A block that a pack has to offer."""

    pack: int
    part: PackPart
    piece: PackPiece
    block: ContextPackBlock
    is_placed: bool
    """Whether it fits into its pack: a block that does is never given up for one that does not."""
    worth: float = 0.0
    """Its score as a share of its pack's best, as packs are scored on scales of their own; or what a
    field of its metadata says."""

    @property
    def key(self) -> str:
        """Equal only for the same block of the same corpus."""
        assert isinstance(self.part.source, RetrieverSource)
        corpus, source = self.part.source.corpus, source_of(self.block)
        if corpus is None or source is None:
            # Keys of pieces are numbers of one answer: those of a later answer begin again.
            return f"{self.pack}\0{self.block.evidence_item_id}"
        return f"{corpus}\0{source}\0{self.block.evidence_item_id}"


class _KeptValues:
    """Which offer was the first to be kept with each value of some metadata fields."""

    def __init__(self, fields: Sequence[str]) -> None:
        self._fields = fields
        self._first: dict[tuple[str, str], _Offer] = {}

    def shared_with_another(self, offer: _Offer) -> str | None:
        """What the offer shares with one of another pack."""
        for field, value in self._values(offer):
            first = self._first.get((field, value))
            if first is not None and first.part.name != offer.part.name:
                other = f"'{first.block.evidence_item_id}' in pack '{first.part.name}'"
                return f"the same {field} '{value}' as {other}"
        return None

    def keep(self, offer: _Offer) -> None:
        """Note the values of an offer that stays."""
        for key in self._values(offer):
            self._first.setdefault(key, offer)

    def _values(self, offer: _Offer) -> Iterator[tuple[str, str]]:
        known = offer.block.metadata or {}
        for field in self._fields:
            value = known.get(field)
            for each in value if isinstance(value, list | tuple) else [value]:
                if isinstance(each, str | int) and each != "":
                    yield field, str(each)


def without_duplicates(draft: Draft, ask: Ask) -> Effectful[Draft]:
    """The draft with each block in one pack; a pack that loses blocks is asked for others, while pages are left.

    Packs of the same name are meant to repeat each other. A pinned pack loses nothing.
    """
    left_out: dict[int, dict[str, Reason]] = {}
    for more in range(_ROUNDS, 0, -1):
        spec = draft.limits.dedupe
        gone = _gone(draft, spec) if spec is not None and _may_have_duplicates(draft) else {}
        if not gone:
            break
        for index, reasons in gone.items():
            left_out.setdefault(index, {}).update(reasons)
        again = [_asked_again(draft, index, ask, left_out[index], more=more > 1) for index in gone]
        found = yield from side_by_side(again)
        packs = {
            index: each._replace(given_up=_given_up(draft.packs[index], gone[index]))
            for index, each in zip(gone, found, strict=True)
        }
        draft = draft._replace(packs={**draft.packs, **packs})
    return draft


def _given_up(before: Gathered, reasons: Reasons) -> tuple[tuple[PackPiece, int], ...]:
    row = before.fitted.row
    now = ((piece, row.tokens[at]) for at, piece in row.pieces.items() if _id(piece) in reasons)
    return (*before.given_up, *now)


class PlacedBlocks:
    """What is placed in packs in the end, to be asked for duplicates of a block that may come back."""

    def __init__(self, draft: Draft, placed: Mapping[int, FittedPack]) -> None:
        spec = draft.limits.dedupe
        self._draft, self._dedupes = draft, spec is not None
        self._texts = KeptTexts(spec.near if spec else None)
        self._values = _KeptValues(spec.fields if spec else ())
        self._offers: list[_Offer] = []
        for index, part in _candidates(draft) if spec else ():
            for piece in placed[index].kept.values():
                if piece.block is not None:
                    self._keep(_Offer(index, part, piece, piece.block, is_placed=True))

    def lost_to(self, index: int, piece: PackPiece, *, keep: bool = True) -> Reason | None:
        """Why a block stays away: a pack has it. Where none has, it is kept from now on, if it fits."""
        part = self._draft.parts[index]
        assert isinstance(part, PackPart)
        if not (self._dedupes and part.options.dedupe):
            return None
        assert piece.block is not None
        offer = _Offer(index, part, piece, piece.block, is_placed=False)
        shared = self._values.shared_with_another(offer)
        return Reason("duplicate", detail=shared) if shared else self._keep(offer, keep=keep)

    def _keep(self, offer: _Offer, *, keep: bool = True) -> Reason | None:
        entry = _entry(offer, self._texts.near)
        duplicate = self._texts.add(len(self._offers), entry, keep=keep)
        if duplicate is not None:
            return _same_as(self._offers[duplicate.kept], duplicate)
        if keep:
            self._offers.append(offer)
            self._values.keep(offer)
        return None


def _entry(offer: _Offer, near: float | None) -> TextEntry:
    text = offer.block.text
    return TextEntry(offer.key, text, near is None and len(text) < _SHORT)


def _same_as(better: _Offer, duplicate: Duplicate) -> Reason:
    same = duplicate.describe(better.block.evidence_item_id)
    return Reason("duplicate", detail=f"{same} in pack '{better.part.name}'")


def _candidates(draft: Draft) -> Iterator[tuple[int, PackPart]]:
    """The packs of retrievers that have blocks."""
    for index, part in enumerate(draft.parts):
        if (
            isinstance(part, PackPart)
            and not isinstance(part.source, NestedSource)
            and part.options.dedupe
            and draft.packs[index].fitted.row.tokens
        ):
            yield index, part


def _may_have_duplicates(draft: Draft) -> bool:
    return len(draft.packs) > 1 and len({part.name for _, part in _candidates(draft)}) > 1


def _gone(draft: Draft, spec: PackDedupeSpec) -> dict[int, dict[str, Reason]]:
    """For each pack the blocks that have a better duplicate in another one, and why they go."""
    offers = [*_offers(draft, spec)]
    by_texts_alone = spec.near is None and not spec.fields
    offers = sorted(_beginning_alike(offers) if by_texts_alone else offers, key=_standing)
    kept, values = KeptTexts(spec.near), _KeptValues(spec.fields)
    gone: dict[int, dict[str, Reason]] = {}
    for place, offer in enumerate(offers):
        shared = values.shared_with_another(offer)
        if shared is not None and not offer.part.options.pin:
            reason = Reason("duplicate", detail=shared)
            gone.setdefault(offer.pack, {})[offer.block.evidence_item_id] = reason
            continue
        values.keep(offer)
        duplicate = kept.add(place, _entry(offer, spec.near))
        if duplicate is None or offer.part.options.pin:
            continue
        better = offers[duplicate.kept]
        if better.part.name != offer.part.name:
            reason = _same_as(better, duplicate)
            gone.setdefault(offer.pack, {})[offer.block.evidence_item_id] = reason
    return gone


def _beginning_alike(offers: Sequence[_Offer]) -> list[_Offer]:
    """Only those that share their key or first words with another pack can be duplicates without `near`."""
    packs: dict[object, set[str]] = {}
    marks = [(offer.key, tuple(offer.block.text.split(None, _WORDS)[:_WORDS])) for offer in offers]
    for offer, both in zip(offers, marks, strict=True):
        for mark in both:
            packs.setdefault(mark, set()).add(offer.part.name)
    return [
        offer
        for offer, both in zip(offers, marks, strict=True)
        if any(len(packs[mark]) > 1 for mark in both)
    ]


def _standing(offer: _Offer) -> tuple[bool, bool, int, float]:
    options = offer.part.options
    return not options.pin, not offer.is_placed, -(options.priority or 0), -offer.worth


def _offers(draft: Draft, spec: PackDedupeSpec) -> Iterator[_Offer]:
    for index, part in _candidates(draft):
        fitted = draft.packs[index].fitted
        pieces = fitted.row.pieces
        best = max((score_of(piece.block) or 0.0 for piece in pieces.values()), default=0.0)
        for at, piece in pieces.items():
            if piece.block is not None:
                worth = (score_of(piece.block) or 0.0) / best if best > 0 else 0.0
                if spec.by is not None:
                    worth = _number((piece.block.metadata or {}).get(spec.by))
                yield _Offer(index, part, piece, piece.block, at in fitted.kept, worth)


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _asked_again(
    draft: Draft, index: int, ask: Ask, reasons: Reasons, *, more: bool
) -> Effectful[Gathered]:
    """The pack without these blocks, filled up from its further pages."""
    part, before = draft.parts[index], draft.packs[index]
    assert isinstance(part, PackPart)
    call = ask(draft, index, part)
    call = call._replace(
        query=before.query, duplicates=reasons, share=_own_share(draft, index, call.share)
    )
    expansion = draft.limits.expansion
    if more and call.share is not None and expansion and before.pages < expansion.max_pages:
        after = yield from gather_retriever(call)
        if not after.failure:
            return after.instead_of(before)
        before = before.instead_of(after)
    if before.combined is not None and not before.failure:
        return (yield from chosen_again(before, call))
    return (yield from _without(call, before, reasons))


def _own_share(draft: Draft, index: int, share: int | None) -> int | None:
    """The share of a pack; only what it uses, where what it left has flowed to other packs."""
    given = sum(each or 0 for each in draft.shares.values())
    if share is None or draft.pack_total is None or given <= draft.pack_total:
        return share
    return min(share, draft.packs[index].fitted.tokens)


def _without(call: RetrieverCall, before: Gathered, reasons: Reasons) -> Effectful[Gathered]:
    row = before.fitted.row
    kept = [at for at, piece in row.pieces.items() if _id(piece) not in reasons]
    tokens = tuple(row.tokens[at] for at in kept)
    smaller = PackRow(
        tokens, partial(_picked, row.pieces, kept), arrange=row.arrange, copies=row.copies
    )
    fitted = yield from fit_to_share(call, smaller, sum(tokens))
    known = {identity for identity, _ in before.repeated}
    more = ((identity, why) for identity, why in reasons.items() if identity not in known)
    repeated = (*before.repeated, *more)
    attempt = Attempt(
        row=smaller,
        filled=sum(tokens),
        pages=before.pages,
        repeated=repeated,
        failure=before.failure,
        stop=before.stop,
        further=before.further,
        combined=before.combined,
    )
    return before._replace(
        fitted=fitted,
        repeated=repeated,
        attempts=(attempt,),
        earlier=(*before.earlier, *before.attempts),
        is_filled=False,
    )


def _id(piece: PackPiece) -> str | None:
    return piece.block.evidence_item_id if piece.block else None


def _picked(pieces: Mapping[int, PackPiece], kept: Sequence[int]) -> list[PackPiece]:
    return [pieces[at] for at in kept]
