"""Reasons and hints of receipts: each reason is derived again from the figures, each hint is followed.

Plans of ordinary words, so that what a receipt says is about budgets, limits and duplicates.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from benchmarks.attacks import Extent
from benchmarks.attacks.assemblies import Broken
from benchmarks.attacks.derived_reasons import problems
from benchmarks.attacks.plans import assembled
from benchmarks.attacks.worlds.plans import Drawn, drawn
from benchmarks.targets import Target
from biblicus_context.assembly.result.receipt import Receipt, ReceiptHint, ReceiptPart
from biblicus_context.errors import ContextError

ATTEMPTS: Final = 20_000
_SAME: Final = ("short", "repeating", "failing")
"""Manners of retrievers that have no more to say, whatever they are asked."""


class Judged(NamedTuple):
    """What one receipt says, judged."""

    hints: int
    false: Sequence[Broken]
    """Its first reason that the figures do not bear out."""
    empty: Sequence[Broken]
    """Its hints that place nothing more."""


def reasons(extent: Extent) -> Iterator[Target]:
    """Twenty thousand plans in full."""
    receipts = hints = 0
    false: list[Broken] = []
    empty: list[Broken] = []
    for seed in range(extent.of(ATTEMPTS)):
        found = judged(seed)
        if found is None:
            continue
        receipts += 1
        hints += found.hints
        false += found.false
        empty += found.empty
    for each in (*false[:5], *empty[:5]):
        print(f"  broken: seed {each.seed}: {each.promise}", flush=True)
    yield Target("attack: receipts whose reasons are derived again", receipts, "receipts")
    yield Target("attack: false reasons", len(false), "receipts", at_most=0)
    yield Target("attack: hints followed", hints, "hints")
    yield Target("attack: hints that place nothing more", len(empty), "hints", at_most=0)


def judged(seed: int) -> Judged | None:
    """The receipt of the plan with this seed; None where the plan is refused."""
    plan = drawn(seed, plain=True)
    receipt = _receipt(plan)
    if receipt is None:
        return None
    found = None if quotes(plan) else next(problems(receipt.model_dump(mode="json")), None)
    wrong = found and f"{found.where}: {found.entry['reason']}; {found.expected}"
    empty = [hint.text for hint in receipt.hints if not helps(plan, receipt, hint)]
    return Judged(
        len(receipt.hints),
        [Broken(seed, wrong)] if wrong else [],
        [Broken(seed, text) for text in empty],
    )


def quotes(plan: Drawn) -> bool:
    """Whether texts grow with packs, so that a block needs more than its own tokens."""
    return any(
        "context." in message.get("template", "")
        for context in plan.contexts.values()
        for message in context["messages"]
    )


def helps(plan: Drawn, before: Receipt, hint: ReceiptHint) -> bool:
    """Whether the plan with the setting raised places more evidence.

    A retriever that says that it has more, and returns the same whatever it is asked, cannot be helped.
    """
    if any(plan.shelves[name].manner in _SAME for name in _named(hint) & plan.shelves.keys()):
        return True
    ways = {"limit": ("limit", "max_pages")}.get(hint.setting, (hint.setting,))
    return any(_places_more(plan, before, hint, way) for way in ways)


def _places_more(plan: Drawn, before: Receipt, hint: ReceiptHint, way: str) -> bool:
    changed = copy.deepcopy(plan)
    _FOLLOWED[way](changed, hint)
    after = _receipt(changed)
    return after is not None and _evidence(after) > _evidence(before)


def _receipt(plan: Drawn) -> Receipt | None:
    try:
        return assembled(plan).receipt
    except ContextError:
        return None


def _evidence(receipt: Receipt) -> int:
    """The tokens of all blocks that are placed."""

    def of(part: ReceiptPart) -> int:
        return sum(block.given for block in part.blocks) + sum(map(of, part.parts))

    return sum(map(of, receipt.parts))


def _named(hint: ReceiptHint) -> set[str]:
    return {path.rpartition(" / ")[2] for path in hint.packs}


def _contexts(plan: Drawn, hint: ReceiptHint) -> Iterator[dict[str, Any]]:
    """The contexts that the packs of the hint are in."""
    for path in hint.packs:
        outer = path.rpartition(" / ")[0].rpartition(" / ")[2]
        yield plan.contexts[outer or "main"]


def _raise_pack_budget(plan: Drawn, hint: ReceiptHint) -> None:
    for context in _contexts(plan, hint):
        context["policy"]["pack_budget"] = {"default_ratio": 1.0}


def _raise_budget(plan: Drawn, hint: ReceiptHint) -> None:
    names = _named(hint)
    for name in names & plan.call.get("shares", {}).keys():
        plan.call["shares"][name] = hint.enough or 0
    for context in plan.contexts.values():
        for message in context["messages"]:
            for each in (message, *message.get("first", ())):
                own = each.get("budget", {}) if isinstance(each, dict) else {}
                if "max_tokens" in own and each.get("name") in names:
                    own["max_tokens"] = hint.enough or 0


def _raise_setting(name: str) -> Callable[[Drawn, ReceiptHint], None]:
    def follow(plan: Drawn, hint: ReceiptHint) -> None:
        for pack in _named(hint):
            plan.retrievers[pack]["config"][name] = hint.figure * 10

    return follow


def _raise_max_pages(plan: Drawn, hint: ReceiptHint) -> None:
    for context in plan.contexts.values():
        if "policy" in context:
            context["policy"].setdefault("expansion", {})["max_pages"] = hint.figure + 3


_FOLLOWED: Final[dict[str, Callable[[Drawn, ReceiptHint], None]]] = {
    "pack_budget": _raise_pack_budget,
    "budget": _raise_budget,
    "limit": _raise_setting("limit"),
    "max_pages": _raise_max_pages,
    "maximum_total_characters": _raise_setting("maximum_total_characters"),
}
