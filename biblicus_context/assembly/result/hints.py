"""Hints: which setting leaves evidence out although tokens of the total are unused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from biblicus_context.assembly.reasons import Cause
from biblicus_context.assembly.result.receipt import (
    HintSetting,
    ReceiptBlock,
    ReceiptHint,
    ReceiptPart,
)

_UNUSED: Final = 20
"""One part in this many of the total: where fewer tokens are unused, there is nothing to change."""
_SETTINGS: Final[Mapping[Cause, HintSetting]] = {
    "share": "pack_budget",
    "pack_budget": "pack_budget",
    "cap": "budget",
    "limit": "limit",
    "max_pages": "max_pages",
    "maximum_total_characters": "maximum_total_characters",
}
_ADVICE: Final[Mapping[HintSetting, str]] = {
    "pack_budget": "Raise pack_budget in the policy.",
    "budget": "Raise the pack's own budget, or remove it.",
    "limit": "Raise limit in the config of the retriever, or expansion.max_pages in the policy.",
    "max_pages": "Raise expansion.max_pages in the policy, or limit in the config of the retriever.",
    "maximum_total_characters": "Raise maximum_total_characters in the config of the retriever.",
}


class _Bound(NamedTuple):
    """A pack that a setting bound."""

    setting: HintSetting
    figure: int
    reason: str
    pack: str
    blocks: int
    tokens: int


def hints(
    parts: Iterable[ReceiptPart], pack_budget: int | None, budget: int | None, used: int
) -> tuple[ReceiptHint, ...]:
    """The hints of a finished assembly; none where its total is nearly full."""
    if budget is None or (budget - used) * _UNUSED < budget:
        return ()
    groups: dict[tuple[HintSetting, int, str], list[_Bound]] = {}
    for bound in _bound(parts, pack_budget, ""):
        # Packs share a pack budget; every other setting is a pack's own.
        own = "" if bound.setting == "pack_budget" else bound.pack
        groups.setdefault((bound.setting, bound.figure, own), []).append(bound)
    return tuple(_hint(group, budget, budget - used) for group in groups.values())


def _bound(parts: Iterable[ReceiptPart], pack_budget: int | None, outer: str) -> Iterator[_Bound]:
    for part in parts:
        if part.kind != "context":
            continue
        name = f"{outer}{part.name}"
        yield from _of_part(part, name, pack_budget)
        within = pack_budget if part.pack_budget is None else part.pack_budget
        yield from _bound(part.parts, within, f"{name} / ")


def _of_part(part: ReceiptPart, name: str, pack_budget: int | None) -> Iterator[_Bound]:
    causes = dict.fromkeys([part.cause, *(block.cause for block in part.blocks)])
    for cause in causes:
        setting = _SETTINGS.get(cause) if cause else None
        if setting is None or part.parts or part.action in ("not asked", "failed"):
            continue
        out = [block for block in part.blocks if block.cause == cause]
        if not out and setting not in ("limit", "max_pages"):
            continue  # what had no room is the text of a format for nothing found
        figure = pack_budget if setting == "pack_budget" else None
        entries: list[ReceiptPart | ReceiptBlock] = [part, *out]
        said = next(entry for entry in entries if entry.cause == cause)
        tokens = sum((block.asked or 0) - block.given for block in out)
        found = said.figure if figure is None else figure
        yield _Bound(setting, found or 0, said.reason, name, len(out), tokens)


def _hint(group: list[_Bound], budget: int, unused: int) -> ReceiptHint:
    setting, figure, reason, *_ = group[0]
    packs = tuple(dict.fromkeys(bound.pack for bound in group))
    blocks, tokens = (sum(counts) for counts in zip(*(bound[4:] for bound in group), strict=True))
    named = ", ".join(f"'{pack}'" for pack in packs)
    named = f"pack{'s' if len(packs) > 1 else ''} {named}"
    what = f"bound {named}"
    if blocks:
        many = f"{blocks:,} block{'' if blocks == 1 else 's'}"
        what = f"left out {many}{f' ({tokens:,} tokens)' if tokens else ''} of {named}"
    limit = _limit(setting, figure, reason)
    text = f"{limit} {what}, while {unused:,} of {budget:,} tokens are unused. {_ADVICE[setting]}"
    return ReceiptHint(
        setting=setting, figure=figure, packs=packs, left_out=blocks, unused=unused, text=text
    )


def _limit(setting: HintSetting, figure: int, reason: str) -> str:
    """The limit in words; a reason that names no share says it already."""
    if setting in ("pack_budget", "budget"):
        name = "pack_budget" if setting == "pack_budget" else "its own budget"
        return f"{name} of {figure:,} token{'' if figure == 1 else 's'}"
    return reason
