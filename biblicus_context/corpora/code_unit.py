"""The unit of code that begins in a hit: a function, a class, a method."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from biblicus_context.corpora.evidence import Evidence
from biblicus_context.ingest.readers.code import LANGUAGES

_UNIT: Final = re.compile(
    r"^([ \t]*)(?:(?:export|default|public|private|protected|static|async|pub|abstract)[ \t]+)*"
    r"(def|class|function|func|fn|struct|interface|trait|enum|impl)[ \t]+(\w+)[^\n]*",
    re.MULTILINE,
)
_DOCSTRING: Final = re.compile(r"\s*((\"{3}|'{3}).{0,2000}?\2)", re.DOTALL)
_FUNCTIONS: Final = frozenset({"def", "function", "func", "fn"})


class CodeUnitText(NamedTuple):
    """A unit of code, and where it is."""

    unit_type: str
    """function, method, class, struct, ...; code if there is no definition."""
    qualified_name: str
    file_path: str
    start_line: int
    end_line: int
    language: str
    signature: str
    """Its first line; the whole text if there is no definition."""
    docstring: str


def code_unit(found: Evidence) -> CodeUnitText:
    """The first definition in a hit, with its docstring; the whole block if it has none."""
    text, path = found.block.text, found.document.path or found.document.id
    first, last = found.block.lines or (1, 1)
    name, suffix = PurePosixPath(path).name, PurePosixPath(path).suffix.lower()
    language = LANGUAGES.get(suffix, suffix[1:])
    match = _UNIT.search(text)
    if match is None:
        return CodeUnitText("code", name, path, first, last, language, text, "")
    indent, keyword, name = match.groups()
    docstring = _DOCSTRING.match(text, match.end())
    unit = keyword if keyword not in _FUNCTIONS else "method" if indent else "function"
    return CodeUnitText(
        unit,
        name,
        path,
        first + text.count("\n", 0, match.start()),
        last,
        language,
        match[0].strip(),
        docstring[1] if docstring else "",
    )
