"""Settings without effect, and the edit that removes a key and leaves the rest of the file as it is."""

from __future__ import annotations

import re
from functools import lru_cache

from biblicus_context.lint.engine.finding import Edit, Violation
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.reading.yaml.tree import Member, Node, Path, Place

_QUOTED = re.compile(r"\"(?:[^\"\\]|\\.)*+\"|'(?:[^']|'')*+'")
_PLAIN_IN_FLOW = re.compile(r"(?:[^\s,\[\]{}#]|(?<!\s)#|\s+(?![\s#,\[\]{}]))+")
_PLAIN_IN_BLOCK = re.compile(r"(?:[^\s#]|(?<!\s)#|\s+(?![\s#]))+")
_ANCHOR = re.compile(r"(?:^|[\s,\[{])&\w", re.MULTILINE)
_PIECE = re.compile(r"\"(?:[^\"\\]|\\.)*+\"|'(?:[^']|'')*+'|[\[{]|[\]}]|[^\[\]{}\"']+|[\"']")


def removal(plan: Plan, path: Path) -> tuple[Edit, ...]:
    """Remove the key that ends a path; empty where the entry takes more than one line.

    A comment after the entry stays. The last key of a mapping is not removed, because YAML reads an
    empty mapping as null.
    """
    *parents, key = path
    mapping = plan.document.tree.at(parents)
    member = mapping.members.get(str(key))
    if member is None or len(mapping.members) == 1:
        return ()
    if has_anchors(plan):
        return ()
    in_flow = _is_in_flow(plan, mapping)
    end = _end_on_line(plan, member.node, in_flow=in_flow)
    if end is None or member.key_place.line != member.node.place.line:
        return ()
    return _of_flow(plan, member, end) if in_flow else _of_block(plan, mapping, member, end)


def without_effect(
    plan: Plan, path: Path, because: str, advice: str = "Remove it.", *, is_removed: bool = True
) -> Violation:
    """A setting that has no effect; the fix removes it, unless it may be what the author wants."""
    return plan.violation(
        tuple(path),
        f"'{path[-1]}' has no effect: {because}",
        advice=advice,
        edits=removal(plan, path) if is_removed else (),
    )


@lru_cache(maxsize=8)
def has_anchors(plan: Plan) -> bool:
    """Whether the document has anchors, so that one value may be used in several places."""
    return bool(_ANCHOR.search(plan.text))


def _is_in_flow(plan: Plan, mapping: Node) -> bool:
    """A block mapping begins where its first key does; a flow mapping at its brace."""
    line, column = mapping.place
    return plan.lines[line - 1].startswith("{", column - 1)


def _of_flow(plan: Plan, member: Member, end: int) -> tuple[Edit, ...]:
    line, column = member.key_place
    text = plan.lines[line - 1]
    before, behind = text[: column - 1], text[end:]
    comma = re.search(r",\s*$", before)
    if comma:
        return (Edit(Place(line, comma.start() + 1), Place(line, end + 1), ""),)
    comma = re.match(r"\s*,\s*", behind)
    if comma and before.strip():
        return (Edit(Place(line, column), Place(line, end + comma.end() + 1), ""),)
    return ()


def _of_block(plan: Plan, mapping: Node, member: Member, end: int) -> tuple[Edit, ...]:
    line, column = member.key_place
    text = plan.lines[line - 1]
    start, behind = Place(line, column), text[end:].strip()
    if _goes_on(plan, line, column) or (behind and not behind.startswith("#")):
        return ()
    if text[: column - 1].strip():
        return _of_item(plan, mapping, member, keeps=bool(behind))
    if behind:
        return (Edit(start, Place(line, text.index(behind, end) + 1), ""),)
    return (Edit(Place(line, 1), Place(line + 1, 1), ""),)


def _of_item(plan: Plan, mapping: Node, member: Member, *, keeps: bool) -> tuple[Edit, ...]:
    """The first key after a dash: the key in the next line takes its place."""
    line, column = member.key_place
    following = sorted(each.key_place for each in mapping.members.values())[1]
    if keeps or following != (line + 1, column):
        return ()
    return (Edit(Place(line, column), following, ""),)


def _goes_on(plan: Plan, line: int, column: int) -> bool:
    """Whether the value continues in the next lines, which are then indented further."""
    for text in plan.lines[line:]:
        body = text.lstrip()
        if body and not body.startswith("#"):
            return len(text) - len(body) >= column
    return False


def _end_on_line(plan: Plan, node: Node, *, in_flow: bool) -> int | None:
    """The offset in its line at which a value ends; None where it continues in the next line."""
    line, column = node.place
    text, start = plan.lines[line - 1], column - 1
    sign = text[start : start + 1]
    if sign in ("|", ">", "&", "*", "-", "!") and not re.match(r"-[\d.]", text[start:]):
        return None
    if sign in ("[", "{"):
        return _end_of_brackets(text, start)
    ending = _QUOTED if sign in ("'", '"') else _PLAIN_IN_FLOW if in_flow else _PLAIN_IN_BLOCK
    match = ending.match(text, start)
    return match.end() if match else None


def _end_of_brackets(text: str, start: int) -> int | None:
    depth = 0
    for piece in _PIECE.finditer(text, start):
        if piece[0] in ("[", "{"):
            depth += 1
        elif piece[0] in ("]", "}"):
            depth -= 1
        elif piece[0] in ("'", '"') or (" #" in piece[0] and piece[0][0] not in "'\""):
            return None  # a quote or bracket is closed in a later line
        if depth == 0:
            return piece.end()
    return None
