"""Source code: Python by its syntax tree, other languages by their indentation."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import PurePosixPath

from biblicus_context.base.doors import door
from biblicus_context.ingest.chunks.section import Parsed, Section
from biblicus_context.ingest.files.content import Content
from biblicus_context.ingest.readers.definitions import Unit, by_indentation, with_comments
from biblicus_context.ingest.readers.languages import LANGUAGES


@door
def read_code(content: Content) -> Parsed:
    """A section for each class and function, comments and decorators above them included."""
    text = content.text()
    language = LANGUAGES[PurePosixPath(content.name).suffix.lower()]
    lines = text.split("\n")
    notes: tuple[str, ...] = ()
    units = python_units(text, lines) if language == "python" else None
    if units is None:
        units = [*by_indentation(lines)]
        if language == "python":
            notes = ("it is not valid Python, so it is split by indentation",)
    return Parsed("code", tuple(_sections(lines, units)), language=language, notes=notes)


def _sections(lines: Sequence[str], units: Sequence[Unit]) -> Iterator[Section]:
    start = Unit(1, (), "")
    end = Unit(len(lines) + 1, (), "")
    for unit, following in pairwise([start, *units, end]):
        stretch = lines[unit.first - 1 : following.first - 1]
        if any(map(str.strip, stretch)):
            yield Section(
                "\n".join(stretch),
                first_line=unit.first,
                heading=unit.path,
                kind="code",
                name=unit.path[-1] if unit.path else "",
                summary=unit.summary,
            )


def python_units(text: str, lines: Sequence[str]) -> list[Unit] | None:
    """The classes and functions of a Python text; None if it is not valid Python."""
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(text)
        return sorted(_defined(tree, (), lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _defined(
    tree: ast.Module | ast.ClassDef, path: tuple[str, ...], lines: Sequence[str]
) -> Iterator[Unit]:
    behind = False
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if behind:  # a statement after a definition is not part of it
                yield Unit(with_comments(lines, node.lineno), path, "")
            behind = False
            continue
        behind = True
        decorated = [node.lineno, *(each.lineno for each in node.decorator_list)]
        yield Unit(
            with_comments(lines, min(decorated)),
            (*path, node.name),
            (ast.get_docstring(node) or "").strip(),
        )
        if isinstance(node, ast.ClassDef):
            yield from _defined(node, (*path, node.name), lines)
