"""The blocks that a retriever returned as a row of pieces, fitted to the share of its pack."""

from __future__ import annotations

from functools import partial
from itertools import repeat

from biblicus_context.assembly.packs.pages import Pages
from biblicus_context.assembly.packs.piece import PackPiece
from biblicus_context.assembly.packs.retriever_call import RetrieverCall
from biblicus_context.assembly.packs.row import (
    FittedPack,
    PackRow,
    cut_to,
    drop_blocks,
    everything,
    far_too_much,
    notice,
)
from biblicus_context.assembly.reasons import hides_evidence
from biblicus_context.base.effects import Effectful


def row_of_pages(call: RetrieverCall, pages: Pages) -> PackRow:
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


def _found_nothing(pages: Pages) -> bool:
    """Whether the retriever answered, and that there is nothing."""
    return not (pages.blocks or hides_evidence(pages.repeated) or pages.failure)


def _pieces(call: RetrieverCall, pages: Pages) -> list[PackPiece]:
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
