"""A result as the inspector shows it: all that is drawn, and nothing that a script would have to work out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from pydantic import BaseModel, Field

from biblicus_context import ContextAssemblyResult
from biblicus_context.assembly import Receipt, ReceiptBlock, ReceiptPart
from biblicus_context.pages import bars_of, changed_texts, left_out_rows, shown_messages, sources_of
from biblicus_context.service.settings import PriceSettings

_PRICED: Final = 1_000_000
"""Tokens that a price is for."""


class InspectedPiece(BaseModel):
    """A stretch of a message."""

    text: str
    place: str = Field(description="The part of the plan; empty between two parts.")
    tint: str
    label: str
    source: str
    score: float | None
    tokens: int | None
    shortened: str


class InspectedMessage(BaseModel):
    """One message that is sent."""

    role: str
    tokens: int
    pieces: list[InspectedPiece]


class InspectedPart(BaseModel):
    """One part of the plan."""

    place: str
    label: str
    tint: str
    depth: int
    given: int
    asked: int | None
    share: int | None
    action: str
    reason: str


class InspectedGhost(BaseModel):
    """What was offered and is not sent, or not whole."""

    part: str
    block: str
    asked: int | None
    given: int
    action: str
    reason: str
    text: str = Field(description="As it was offered; empty where the receipt alone knows it.")


class InspectedBlock(BaseModel):
    """A block that a retriever found."""

    part: str
    id: str
    source: str
    score: float | None
    parts: dict[str, float]
    page: int
    tokens: int | None
    action: str
    reason: str


class InspectedSearch(BaseModel):
    """What a retriever was asked, and what it found."""

    part: str
    query: str
    requests: int
    pages: int
    blocks: list[InspectedBlock]


class InspectedCost(BaseModel):
    """What the call costs, without its answer."""

    input: float
    cached: float | None = Field(
        description="Where the part that is the same as in the call before comes from a cache."
    )


class Inspected(BaseModel):
    """One assembly."""

    context: str
    used: int
    budget: int | None
    window: int | None
    reserve: int
    model: str | None
    counter: str
    estimated: bool
    fits: bool = True
    same_prefix: int | None
    messages: list[InspectedMessage]
    parts: list[InspectedPart]
    ghosts: list[InspectedGhost]
    searches: list[InspectedSearch]
    hints: list[str]
    warnings: list[str]
    milliseconds: float
    cost: InspectedCost | None = Field(description="Where the price of the model is known.")


def inspected(
    result: ContextAssemblyResult, prices: Mapping[str, PriceSettings] = MappingProxyType({})
) -> Inspected:
    """Everything that is drawn of a result."""
    receipt = result.receipt
    rows = bars_of(receipt)
    found = sources_of(rows)
    tints = {place: each.tint for place, each in found.items()}
    labels = {place: each.label for place, each in found.items()}
    return Inspected(
        context=receipt.context,
        used=receipt.used,
        budget=receipt.budget,
        window=receipt.window,
        reserve=receipt.reserve,
        model=receipt.model,
        counter=receipt.counter,
        estimated=receipt.estimated,
        fits=receipt.over == 0,
        same_prefix=receipt.same_prefix,
        messages=[
            InspectedMessage(
                role=message.role,
                tokens=message.tokens,
                pieces=[
                    InspectedPiece(
                        text=each.text,
                        place=each.place,
                        tint=tints.get(each.place, ""),
                        label=each.label or labels.get(each.place, ""),
                        source=each.source,
                        score=each.score,
                        tokens=each.tokens,
                        shortened=each.shortened,
                    )
                    for each in message.texts
                ],
            )
            for message in shown_messages(result)
        ],
        parts=[
            InspectedPart(
                place=row.place,
                label=labels.get(row.place, row.label),
                tint=tints.get(row.place, row.tint),
                depth=row.depth,
                given=row.given,
                asked=row.asked,
                share=row.share,
                action=row.action,
                reason=row.what,
            )
            for row in rows
        ],
        ghosts=_ghosts(result),
        searches=[*_searches(receipt.parts, "")],
        hints=[each.text for each in receipt.hints],
        warnings=[*receipt.warnings, *_better_ones(receipt.parts)],
        milliseconds=1_000 * sum(each.seconds for each in receipt.steps),
        cost=_cost(receipt, prices),
    )


def _cost(receipt: Receipt, prices: Mapping[str, PriceSettings]) -> InspectedCost | None:
    price = prices.get(receipt.model or "")
    if price is None:
        return None
    cached = None
    if price.cached is not None and receipt.same_prefix is not None:
        new = receipt.used - receipt.same_prefix
        cached = (receipt.same_prefix * price.cached + new * price.input) / _PRICED
    return InspectedCost(input=receipt.used * price.input / _PRICED, cached=cached)


def _ghosts(result: ContextAssemblyResult) -> list[InspectedGhost]:
    texts: dict[tuple[str, str], list[str]] = {}
    for changed in changed_texts(result.draft) if result.draft else ():
        texts.setdefault((changed.part, changed.block), []).append(changed.before)
    return [
        InspectedGhost(
            part=row.part,
            block=row.what,
            asked=row.asked,
            given=row.given,
            action=row.action,
            reason=row.reason,
            text=known.pop(0) if (known := texts.get((row.part, row.what))) else "",
        )
        for row in left_out_rows(result.receipt)
    ]


def _searches(parts: Iterable[ReceiptPart], outer: str) -> Iterable[InspectedSearch]:
    for part in parts:
        name = f"{outer}{part.name or part.kind}"
        if part.requests:
            yield InspectedSearch(
                part=name,
                query=part.query,
                requests=part.requests,
                pages=part.pages,
                blocks=[_block(name, each) for each in part.blocks],
            )
        yield from _searches(part.parts, f"{name} / ")


def _block(part: str, block: ReceiptBlock) -> InspectedBlock:
    return InspectedBlock(
        part=part,
        id=block.id,
        source=block.source or "",
        score=block.score,
        parts=dict(block.parts),
        page=block.page,
        tokens=block.asked,
        action=block.action,
        reason=block.reason,
    )


def _better_ones(parts: Iterable[ReceiptPart]) -> Iterable[str]:
    """A block that was dropped although its score is better than that of one that is placed."""
    for part in parts:
        dropped = [b for b in part.blocks if b.action == "dropped" and b.cause != "duplicate"]
        best = max((b for b in dropped if b.score is not None), key=_score, default=None)
        kept = [b for b in part.blocks if b.action != "dropped" and b.score is not None]
        worst = min(kept, key=_score, default=None)
        if best is not None and worst is not None and _score(best) > _score(worst):
            name, better, worse = (
                part.name or part.kind,
                best.source or best.id,
                worst.source or worst.id,
            )
            yield (
                f"{name}: {better} ({_score(best):.2f}) is left out, and {worse} "
                f"({_score(worst):.2f}) is placed: {best.reason}"
            )
        yield from _better_ones(part.parts)


def _score(block: ReceiptBlock) -> float:
    return block.score or 0.0
