"""Reasons derived a second time, from nothing but the figures of a receipt as JSON and the history."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

SLACK = 8
"""Tokens by which joined texts may differ from their pieces counted one by one."""
LIMITS = ("cap", "input_budget", "pack_budget", "share")
"""Of limits with equally much left, the first is named."""

_ALTERNATIVE = "an alternative is placed whole or not at all"


class Problem(NamedTuple):
    """An entry whose reason is not what the figures say."""

    where: str
    entry: dict[str, Any]
    expected: Any


class Limit(NamedTuple):
    """A limit, what is left of it, and the words for it."""

    cause: str
    figure: int
    left: int
    of: str = ""


def problems(receipt: dict[str, Any]) -> Iterator[Problem]:
    """Every entry whose reason cannot be derived from the figures."""
    around: list[Limit] = []
    if receipt["budget"] is not None:
        around.append(Limit("input_budget", receipt["budget"], receipt["budget"] - receipt["used"]))
    yield from _parts(receipt, receipt["parts"], around, "")


def _parts(
    holder: dict[str, Any], parts: list[dict[str, Any]], around: list[Limit], path: str
) -> Iterator[Problem]:
    if holder["pack_budget"] is not None:
        used = sum(part["given"] for part in parts if part["kind"] == "context")
        total = holder["pack_budget"]
        around = [Limit("pack_budget", total, total - used, holder.get("name", "")), *around]
    for part in parts:
        where = f"{path}{part['place']}"
        if part["kind"] == "context":
            yield from _pack(part, around, where)
        elif part["kind"] == "history":
            yield from _history(part, around, where)


def _history(part: dict[str, Any], around: list[Limit], where: str) -> Iterator[Problem]:
    """Turns that do not fit name the total, which has no place for the newest one that goes."""
    total = next((limit for limit in around if limit.cause == "input_budget"), None)
    for turn in part["turns"]:
        if turn["cause"] == "input_budget" and (total is None or turn["figure"] != total.figure):
            yield Problem(where, turn, total)
        if turn["cause"] == "cap" and part["given"] > turn["figure"]:
            yield Problem(where, turn, f"{part['given']} tokens are given")
        if (turn["action"] == "dropped") != bool(turn["reason"]):
            yield Problem(where, turn, "a reason exactly where a turn is dropped")


def _pack(part: dict[str, Any], around: list[Limit], where: str) -> Iterator[Problem]:
    limits = [
        *(
            Limit(cause, part[cause], part[cause] - part["given"])
            for cause in ("cap", "share")
            if part[cause] is not None
        ),
        *around,
    ]
    shrunk = [block for block in part["blocks"] if block["cause"] in LIMITS]
    inside = [each for each in part["parts"] if _is_cut(each)]
    is_of_inside = part["reason"].startswith("in '")
    if is_of_inside or (inside and part["action"] == "kept"):
        yield from _nested(part, inside, where)
    own = [part] if part["cause"] in LIMITS and not is_of_inside else []
    for entry in [*shrunk, *own]:
        if _ALTERNATIVE in entry["reason"]:
            yield from _alternative(part, entry, [*limits, *around], where)
            continue
        if entry["action"] == "not asked":
            yield from _starved(entry, limits, where)
            continue
        expected = bound(limits, shrunk or [*_notice(part)])
        if (entry["cause"], entry["figure"]) != expected[:2] or words(expected, entry) not in (
            entry["reason"].split(";")[0]
        ):
            yield Problem(where, entry, expected)
    for block in shrunk:
        if _ALTERNATIVE in block["reason"]:
            continue
        least = min(limit.left for limit in limits)
        needed = block["asked"] - block["given"] + _format_of_the_first(part)
        if needed <= least - SLACK:
            yield Problem(where, block, f"{least} tokens are left")
    around = [
        limit._replace(of=part["name"])
        if limit.cause in ("cap", "share") and not limit.of
        else limit
        for limit in limits
    ]
    yield from _parts(part, part["parts"], around, f"{where}/")


def _nested(part: dict[str, Any], inside: list[dict[str, Any]], where: str) -> Iterator[Problem]:
    """A nested context that is cut only inside says what one of its parts says."""
    said = part["cause"], part["figure"], part["reason"]
    known = [
        (each["cause"], each["figure"], f"in '{each['name']}': {each['reason']}") for each in inside
    ]
    if said not in known or part["action"] != ("shortened" if part["given"] else "dropped"):
        yield Problem(where, part, known)


def _is_cut(part: dict[str, Any]) -> bool:
    """Whether evidence that was found is missing from a part; of alternatives another one is placed."""
    is_missing = part["action"] == "shortened" or ".first[" not in part["place"]
    limits = (*LIMITS, "maximum_total_characters")
    return is_missing and part["action"] != "kept" and part["cause"] in limits


def _alternative(
    part: dict[str, Any], entry: dict[str, Any], limits: list[Limit], where: str
) -> Iterator[Problem]:
    """An alternative is placed whole or not at all: nothing of it, and a limit that is there."""
    known = [(limit.cause, limit.figure) for limit in limits]
    if part["given"] or (entry["cause"], entry["figure"]) not in known:
        yield Problem(where, entry, known)


def _format_of_the_first(part: dict[str, Any]) -> int:
    """What title, header and footer need besides a block, where nothing is placed."""
    if part["given"] or part["asked"] is None:
        return 0
    return max(0, part["asked"] - sum(block["asked"] or 0 for block in part["blocks"]))


def _notice(part: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The text of a format for a pack without blocks, which has no entry of its own."""
    if not part["blocks"] and not part["parts"]:
        yield {"asked": part["asked"] - part["format"], "given": part["given"]}


def bound(limits: list[Limit], shrunk: list[dict[str, Any]]) -> Limit:
    """A limit of the pack alone that one more block would break; else the one with the least left."""
    needed = min((block["asked"] - block["given"] for block in shrunk), default=0)
    for limit in limits:
        alone = limit.cause == "cap" or (limit.cause == "pack_budget" and limit.of)
        if alone and limit.left < needed:
            return limit
    return min(limits, key=lambda limit: (limit.left, LIMITS.index(limit.cause)))


def _starved(entry: dict[str, Any], limits: list[Limit], where: str) -> Iterator[Problem]:
    """A pack without a share: its own budget is 0, or the nearest one around it is too small."""
    divided = [
        limit
        for limit in limits
        if limit[:2] == ("cap", 0) or limit.cause == "pack_budget" or limit.of
    ]
    whole = [limit for limit in limits if limit.cause == "input_budget"]
    nearest = (divided + whole)[0]
    if (entry["cause"], entry["figure"], entry["given"]) != (*nearest[:2], 0):
        yield Problem(where, entry, nearest)


def words(limit: Limit, entry: dict[str, Any]) -> str:
    """The words for a limit, without punctuation around them."""
    tokens = f"{limit.figure:,} token{'' if limit.figure == 1 else 's'}"
    whose = "the" if limit.of else "its"
    of = f" of '{limit.of}'" if limit.of else ""
    match limit.cause:
        case "share":
            what = f"{whose} share of {tokens}{of}"
        case "cap":
            what = f"{whose} own budget of {tokens}{of}"
        case "pack_budget":
            return f"pack budget of {tokens}{of} is spent"
        case _:
            return f"total budget of {tokens} is full"
    return f"trimmed to {what}" if entry["action"] == "shortened" else f"{what} is full"
