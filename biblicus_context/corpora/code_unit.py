"""The unit of code that begins in a hit: a function, a class, a method."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Any, Final

from pydantic import AwareDatetime, BaseModel, ConfigDict

from biblicus_context.corpora.evidence import Evidence
from biblicus_context.ingest.readers.code import LANGUAGES

_UNIT: Final = re.compile(
    r"^([ \t]*)(?:(?:export|default|public|private|protected|static|async|pub|abstract)[ \t]+)*"
    r"(def|class|function|func|fn|struct|interface|trait|enum|impl)[ \t]+(\w+)[^\n]*",
    re.MULTILINE,
)
_DOCSTRING: Final = re.compile(r"\s*((\"{3}|'{3}).{0,2000}?\2)", re.DOTALL)
_FUNCTIONS: Final = frozenset({"def", "function", "func", "fn"})


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
    created_at: AwareDatetime | None = None


def code_unit(found: Evidence) -> CodeUnit:
    """The first definition in a hit, with its docstring; the whole block if it has none."""
    text, path = found.block.text, found.document.path or found.document.id
    first, last = found.block.lines or (1, 1)
    name, suffix = PurePosixPath(path).name, PurePosixPath(path).suffix.lower()
    language = LANGUAGES.get(suffix, suffix[1:])
    match = _UNIT.search(text)
    known: dict[str, Any] = {"file_path": path, "end_line": last, "language": language}
    if match is None:
        return CodeUnit(
            **known, unit_type="code", qualified_name=name, start_line=first, signature=text
        )
    indent, keyword, name = match.groups()
    docstring = _DOCSTRING.match(text, match.end())
    unit = keyword if keyword not in _FUNCTIONS else "method" if indent else "function"
    return CodeUnit(
        **known,
        unit_type=unit,
        qualified_name=name,
        start_line=first + text.count("\n", 0, match.start()),
        signature=match[0].strip(),
        docstring=docstring[1] if docstring else "",
    )
