"""What can be written at a place, also in a document that does not parse yet."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from biblicus_context.reading import Noun, Step
from biblicus_context.service.lsp.names import known_names
from biblicus_context.service.lsp.project import CheckedProject
from biblicus_context.service.lsp.schema import settings_at
from biblicus_context.spec import ContextDeclaration

_INPUT: Final = re.compile(r"\{\s*\{?\s*input\.([\w.]*)$")
_CONTEXT: Final = re.compile(r"\{\s*\{?\s*context\.([\w.-]*)$")
_VALUE: Final = re.compile(r"(?:^|[\s{,-])(?P<key>[\w-]+):\s+(?P<quote>['\"]?)(?P<begun>[\w.-]*)$")
_KEY: Final = re.compile(r"^(?P<indent>[ ]*(?:- )*)(?P<begun>[\w-]*)$")
_LINE: Final = re.compile(
    r"^(?P<indent>[ ]*)(?P<dashes>(?:- +)*)(?:(?P<key>[\w-]+):(?:\s|$))?(?P<rest>.*)$"
)
_BRACE: Final = re.compile(r"(?:(?P<key>[\w-]+):\s*)?\{|\}")
_KIND: Final = re.compile(r"^kind:\s*(\w+)", re.MULTILINE)
_NAME: Final = re.compile(r"^name:\s*['\"]?([\w.-]+)", re.MULTILINE)
_NOUNS: Final[dict[str, Noun]] = {
    "policy": "policy",
    "format": "format",
    "corpus": "corpus",
    "compactor": "compactor",
}


class Completion(NamedTuple):
    """A word that can be written."""

    text: str
    detail: str = ""


def completions(checked: CheckedProject, text: str, line: int, column: int) -> list[Completion]:
    """What can follow the characters before a place, counted from one."""
    lines = text.splitlines()
    written = lines[line - 1][: column - 1] if line <= len(lines) else ""
    above = _document(lines[: line - 1])
    if _INPUT.search(written):
        return [*_inputs(checked, above)]
    if _CONTEXT.search(written):
        return [Completion(each, "pack") for each in known_names(checked, "pack")]
    value = _VALUE.search(written)
    if value is not None:
        return [*_values(checked, above, written, value["key"])]
    key = _KEY.match(written)
    if key is None:
        return []
    return [*_keys(above, key["indent"])]


def _inputs(checked: CheckedProject, above: Sequence[str]) -> Iterator[Completion]:
    name = _NAME.search("\n".join(above))
    for each in checked.declared.entries:
        declaration = each.declaration
        if name and each.name == name[1] and isinstance(declaration, ContextDeclaration):
            for key, spec in (declaration.inputs or {}).items():
                yield Completion(key, spec.description or spec.type)


def _values(
    checked: CheckedProject, above: Sequence[str], written: str, key: str
) -> Iterator[Completion]:
    if key == "kind":
        yield from map(
            Completion, ("context", "policy", "retriever", "corpus", "compactor", "format")
        )
    elif key in _NOUNS:
        yield from (Completion(each, key) for each in known_names(checked, _NOUNS[key]))
    elif key == "name" and re.search(r"type:\s*context", _item(above, written)):
        yield from (Completion(each, "pack") for each in known_names(checked, "pack"))
    else:
        path = [*_path(above, len(written) - len(written.lstrip(" -"))), *_braces(written)]
        for each in settings_at(_kind(above), path, None):
            if each.key == key:
                yield from map(Completion, each.values)


def _keys(above: Sequence[str], indent: str) -> Iterator[Completion]:
    path = _path(above, len(indent), begins_item="-" in indent)
    given = _given(above, len(indent)) if "-" not in indent else {}
    for each in settings_at(_kind(above), path, _value_at(path, given)):
        if each.key not in given:
            yield Completion(each.key, each.description)


def _document(lines: Sequence[str]) -> Sequence[str]:
    """The lines of the document that goes on after them."""
    ends = [number for number, line in enumerate(lines) if line.startswith("---")]
    return lines[ends[-1] + 1 :] if ends else lines


def _kind(above: Sequence[str]) -> str:
    kind = _KIND.search("\n".join(above))
    return kind[1] if kind else "context"


def _item(above: Sequence[str], written: str) -> str:
    """The entry of a list that a line belongs to, as far as it is written."""
    indent = len(written) - len(written.lstrip())
    found = [written]
    for line in reversed(above):
        if "-" in written.partition(":")[0] or (
            line.strip() and len(line) - len(line.lstrip()) < indent - 2
        ):
            break
        found.append(line)
        if line.lstrip().startswith("- "):
            break
    return "\n".join(found)


def _path(above: Sequence[str], indent: int, *, begins_item: bool = False) -> list[Step]:
    """The path of a mapping whose keys begin in a column, by the indentation of the lines above."""
    path: list[Step] = []
    column = indent
    if begins_item:
        path.append(0)
        column -= 2
    for line in reversed(above):
        match = _LINE.match(line)
        if match is None or not line.strip() or line.lstrip().startswith("#"):
            continue
        start, dashes = len(match["indent"]), match["dashes"]
        key_at = start + len(dashes)
        if dashes and key_at == column:  # its first key is on the line of the dash
            path.append(0)
            column = start
        elif key_at < column or (
            begins_item and key_at == column and not dashes and path[-1:] == [0]
        ):
            if match["key"]:
                path.append(match["key"])
            if dashes:
                path.append(0)
                column = start
            else:
                column = key_at
    return path[::-1]


def _braces(written: str) -> list[Step]:
    """The keys of the mappings in braces that a line has begun and not ended."""
    path: list[Step] = []
    for match in _BRACE.finditer(written):
        if match[0] == "}":
            del path[-1:]
        elif match["key"]:
            path.append(match["key"])
    return path


def _given(above: Sequence[str], column: int) -> dict[str, Any]:
    """The keys that the same mapping has above, with their words."""
    found: dict[str, Any] = {}
    for line in reversed(above):
        match = _LINE.match(line)
        if match is None or not line.strip():
            continue
        key_at = len(match["indent"]) + len(match["dashes"])
        if key_at < column:
            break
        if key_at == column and match["key"]:
            found[match["key"]] = match["rest"].strip().strip("'\"")
            if match["dashes"]:
                break
    return found


def _value_at(path: Sequence[Step], given: dict[str, Any]) -> object:
    """A document that has nothing but these keys at a path, for the conditions of a schema."""
    value: Any = given
    for step in reversed(path):
        value = [value] if isinstance(step, int) else {step: value}
    return value
