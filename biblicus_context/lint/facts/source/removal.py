"""The edit that takes a key out of a mapping, and leaves everything else as its author wrote it."""

from __future__ import annotations

import re

from biblicus_context.lint.engine.finding import Edit
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.reading.yaml.tree import Member, Node, Path, Place

_QUOTED = re.compile(r"\"(?:[^\"\\]|\\.)*+\"|'(?:[^']|'')*+'")
_PLAIN_IN_FLOW = re.compile(r"(?:[^\s,\[\]{}#]|(?<!\s)#|\s+(?![\s#,\[\]{}]))+")
_PLAIN_IN_BLOCK = re.compile(r"(?:[^\s#]|(?<!\s)#|\s+(?![\s#]))+")
_ANCHOR = re.compile(r"(?:^|[\s,\[{])&\w", re.MULTILINE)
_PIECE = re.compile(r"\"(?:[^\"\\]|\\.)*+\"|'(?:[^']|'')*+'|[\[{]|[\]}]|[^\[\]{}\"']+|[\"']")


def removal(plan: Plan, path: Path) -> tuple[Edit, ...]:
    """What removes the key that ends a path; nothing where that would take more than one line.

    A comment behind it stays. The last key of a mapping is not removed, as YAML would read what is
    left as null.
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


def has_anchors(plan: Plan) -> bool:
    """Whether what stands in one place of the document may be meant in others, too."""
    return bool(_ANCHOR.search(plan.text))


def _is_in_flow(plan: Plan, mapping: Node) -> bool:
    """A block mapping begins where its first key does; a flow mapping at its brace."""
    line, column = mapping.place
    return plan.lines[line - 1][column - 1 :].startswith("{")


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
    """The first key behind a dash: the next one takes its place, if it stands in the next line."""
    line, column = member.key_place
    following = sorted(each.key_place for each in mapping.members.values())[1]
    if keeps or following != (line + 1, column):
        return ()
    return (Edit(Place(line, column), following, ""),)


def _goes_on(plan: Plan, line: int, column: int) -> bool:
    """Whether the value goes on in the lines below, which are then indented further."""
    for text in plan.lines[line:]:
        body = text.lstrip()
        if body and not body.startswith("#"):
            return len(text) - len(body) >= column
    return False


def _end_on_line(plan: Plan, node: Node, *, in_flow: bool) -> int | None:
    """Where a value ends, as an offset in the line it begins in; None where it goes on."""
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
            return None  # a quote or the brackets are closed in a line below
        if depth == 0:
            return piece.end()
    return None
