"""A block of code, as the unit that begins in it."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Final

from biblicus_context import Evidence
from biblicus_context.systems.learning.models import CodeUnit

_UNIT: Final = re.compile(
    r"^([ \t]*)(?:(?:export|default|public|private|protected|static|async|pub|abstract)\s+)*"
    r"(def|class|function|func|fn|struct|interface|trait|enum|impl)\s+(\w+)[^\n]*",
    re.MULTILINE,
)
_DOCSTRING: Final = re.compile(r"\s*((\"{3}|'{3}).{0,2000}?\2)", re.DOTALL)
_TYPES: Final = dict.fromkeys(("def", "function", "func", "fn"), "function")


def unit_of(found: Evidence) -> CodeUnit:
    """Its first definition with its docstring; the whole block if it has none."""
    block, path = found.block, found.document.path or found.document.id
    first, last = block.lines or (1, 1)
    known = {"file_path": path, "end_line": last, "language": PurePosixPath(path).suffix[1:]}
    match = _UNIT.search(block.text)
    if match is None:
        name = PurePosixPath(path).name
        return CodeUnit(
            **known, unit_type="code", qualified_name=name, start_line=first, signature=block.text
        )
    indent, keyword, name = match.groups()
    docstring = _DOCSTRING.match(block.text, match.end())
    unit = _TYPES.get(keyword, keyword)
    return CodeUnit(
        **known,
        unit_type="method" if unit == "function" and indent else unit,
        qualified_name=name,
        start_line=first + block.text.count("\n", 0, match.start()),
        signature=match[0].strip(),
        docstring=docstring[1] if docstring else "",
    )
