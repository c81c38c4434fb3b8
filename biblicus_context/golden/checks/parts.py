"""Parts: the roles of the messages, and what became of each directive of the plan."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.assembly.result.receipt import ReceiptPart
from biblicus_context.errors import nearest
from biblicus_context.golden.checks.call_result import CallResult, Mismatch
from biblicus_context.golden.snapshots.text_difference import difference
from biblicus_context.spec.expectation import Expectation


def check_roles(expect: Expectation, seen: CallResult) -> Iterator[Mismatch]:
    """Who speaks, in order."""
    roles = [str(message["role"]) for message in seen.result.messages]
    if expect.roles is not None and [*expect.roles] != roles:
        diff = difference("\n".join(expect.roles), "\n".join(roles))
        yield Mismatch(("roles",), "the roles are others", diff=diff)


def check_parts(expect: Expectation, seen: CallResult) -> Iterator[Mismatch]:
    """What became of parts; where several are called the same, of each of them."""
    for name, action in (expect.parts or {}).items():
        path = ("parts", name)
        called = [part for within, part in seen.parts if name in names_of(part, within)]
        others = [part for part in called if part.action != action]
        if not called:
            known = dict.fromkeys(
                each for within, part in seen.parts for each in names_of(part, within)
            )
            yield unknown("part", name, [*known], path)
        elif others:
            found = "; ".join(f"{part.place} {_told(part)}" for part in others)
            yield Mismatch(path, "something else became of it", action, found)


def names_of(part: ReceiptPart, within: str) -> tuple[str, str]:
    """What a part can be called: by the name of its pack or its role, or by its place."""
    return f"{within}{part.name or part.kind}", f"{within}{part.place}"


def unknown(noun: str, name: str, known: list[str], path: tuple[str | int, ...]) -> Mismatch:
    """There is nothing of this name."""
    guess = nearest(name, known)
    hint = f"; did you mean {guess!r}?" if guess else ""
    listed = ", ".join(known) or "none"
    return Mismatch(path, f"unknown {noun}", repr(name), f"{listed}{hint}")


def _told(part: ReceiptPart) -> str:
    if part.reason.startswith(part.action):
        return part.reason
    return f"{part.action}: {part.reason}" if part.reason else part.action
