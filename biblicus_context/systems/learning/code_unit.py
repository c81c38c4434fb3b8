"""The unit of code in a hit: a function, a class, a method."""

from __future__ import annotations

import re
from collections.abc import Sequence
from inspect import cleandoc
from pathlib import PurePosixPath
from textwrap import dedent
from typing import Any, Final

from pydantic import AwareDatetime, BaseModel, ConfigDict

from biblicus_context.base import door
from biblicus_context.corpora import Evidence
from biblicus_context.ingest import LANGUAGES, Definition, definitions, with_comments

_FUNCTIONS: Final = frozenset({"", "def", "fn", "func", "fun", "function", "sub"})
_PYTHON: Final = re.compile(r"\s*(?:(?:async\s+)?def\s+\w+\s*[(\[]|class\s+\w+\s*[(\[:])")
"""What a docstring with a line such as "class of service" does not match."""
_DOCSTRING: Final = re.compile(
    r"(?:\s|#[^\n]*\n)*+"
    r"([rRuU]{0,2}(?:\"{3}.*?(?:\"{3}|\Z)|'{3}.*?(?:'{3}|\Z)|\"[^\"\n]*\"|'[^'\n]*'))"
    r"[ \t]*+(?:[;#\n]|\Z)",
    re.DOTALL,
)
_OF_A_SIGNATURE: Final = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|[()\[\]{}:;\n]")
_LONGEST_SIGNATURE: Final = 2_000
_DOCUMENTS: Final = ("//", "/*", "*", "--")
_HASH: Final = frozenset({"ruby", "shell", "perl", "r", "php"})
"""Languages with comments that begin with `#`; in others that is something else."""


class CodeUnit(BaseModel):
    """A function, a class, a method, or another part of a file: then its type is `code`."""

    model_config = ConfigDict(frozen=True)

    unit_type: str
    qualified_name: str
    file_path: str
    start_line: int
    end_line: int
    language: str = ""
    signature: str
    docstring: str = ""
    text: str = ""
    """The definition as it is written, for a model to read; signature and docstring if empty."""
    created_at: AwareDatetime | None = None


@door
def code_unit(found: Evidence) -> CodeUnit:
    """What a hit defines, with its docstring or the comment above it; the whole block if nothing."""
    text, heading = found.block.text, found.block.heading
    path = found.document.path or found.document.id
    first, last = found.block.lines or (1, 1)
    suffix = PurePosixPath(path).suffix.lower()
    language = LANGUAGES.get(suffix, suffix[1:])
    known: dict[str, Any] = {"file_path": path, "end_line": last, "language": language}
    lines = text.split("\n")
    unit = _definition(lines, heading, language)
    if unit is None:
        name = ".".join(heading) or PurePosixPath(path).name
        return CodeUnit(
            **known, unit_type="code", qualified_name=name, start_line=first, signature=text
        )
    is_named = heading[-1:] == (unit.name,)
    signature, body = _signature(lines, unit.line, language)
    return CodeUnit(
        **known,
        unit_type=_unit_type(unit, lines, in_another=is_named and len(heading) > 1),
        qualified_name=".".join(heading) if is_named else unit.name,
        start_line=first + unit.line,
        signature=signature,
        docstring=_docstring(body) if language == "python" else _comment(lines, unit, language),
        text=dedent("\n".join(lines[with_comments(lines, unit.line + 1) - 1 :])).rstrip(),
    )


def _definition(lines: Sequence[str], heading: Sequence[str], language: str) -> Definition | None:
    """The definition that the block is named after, else the first one."""
    first = None
    for each in definitions(lines):
        if language == "python" and not _PYTHON.match(lines[each.line]):
            continue
        if not heading or each.name == heading[-1]:
            return each
        first = first or each
    if (
        heading and language != "python"
    ):  # a method of an interface is known by the name of its block
        named = (each for each in definitions(lines, declared=True) if each.name == heading[-1])
        return next(named, first)
    return first


def _unit_type(unit: Definition, lines: Sequence[str], *, in_another: bool) -> str:
    if unit.keyword not in _FUNCTIONS:
        return unit.keyword
    in_another = in_another or "." in unit.name or "::" in unit.name
    return "method" if in_another or lines[unit.line][:1].isspace() else "function"


def _signature(lines: Sequence[str], start: int, language: str) -> tuple[str, str]:
    """The text up to where the body begins, and what follows."""
    text = "\n".join(lines[start:])
    depth = 0
    for mark in _OF_A_SIGNATURE.finditer(text, 0, _LONGEST_SIGNATURE):
        if mark[0] in "([":
            depth += 1
        elif mark[0] in ")]":
            depth -= 1
        elif depth == 0 and mark[0] in (":\n" if language == "python" else "{;\n"):
            end = mark.end() if mark[0] == ":" else mark.start()
            return cleandoc(text[:end]).rstrip(), text[mark.end() :]
    return lines[start].strip(), "\n".join(lines[start + 1 :])


def _docstring(body: str) -> str:
    found = _DOCSTRING.match(body)
    return cleandoc(found[1]) if found else ""


def _comment(lines: Sequence[str], unit: Definition, language: str) -> str:
    """The comment directly above a definition, without what annotates it."""
    marks = (*_DOCUMENTS, "#") if language in _HASH else _DOCUMENTS
    above = lines[with_comments(lines, unit.line + 1) - 1 : unit.line]
    return cleandoc("\n".join(each for each in above if each.lstrip().startswith(marks)))
