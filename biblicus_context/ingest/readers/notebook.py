"""Jupyter notebooks: texts, code and what the code printed; pictures are left out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from biblicus_context.base.doors import door
from biblicus_context.ingest.chunks.section import (
    Parsed,
    Section,
    SectionKind,
    UnreadableError,
    first_notes,
)
from biblicus_context.ingest.files.content import Content

_LONGEST_OUTPUT = 2_000


@door
def read_notebook(content: Content) -> Parsed:
    """A section for each cell, below the last heading of the texts before it; odd ones are noted."""
    try:
        notebook = json.loads(content.text())
    except (ValueError, RecursionError):
        notebook = None
    cells = _cells(notebook)
    notes: list[str] = []
    sections = tuple(_sections(cells, notes)) if cells is not None else ()
    if cells is None or (notes and not sections):
        raise UnreadableError("it is not a notebook")
    return Parsed(
        "notebook",
        sections,
        title=next((each.heading[0] for each in sections if each.heading), ""),
        language=_language(notebook),
        notes=first_notes(notes, "more of its cells cannot be read whole"),
    )


def _cells(notebook: Any) -> list[Any] | None:
    """The cells, which stood on sheets until format 3; None where it has none."""
    sheets = _field(notebook, "worksheets")
    lists = [_field(each, "cells") for each in (sheets if isinstance(sheets, list) else [notebook])]
    if not all(isinstance(each, list) for each in lists):
        return None
    return [cell for cells in lists for cell in cells]


def _sections(cells: list[Any], notes: list[str]) -> Iterator[Section]:
    heading: tuple[str, ...] = ()
    for number, cell in enumerate(cells):
        form, source = _field(cell, "cell_type"), _field(cell, "source")
        text = _joined(_field(cell, "input") if source is None else source)
        if text is None:
            notes.append(f"cell {number} has no text")
            continue
        first = text.lstrip().split("\n", 1)[0]
        if form == "heading" or (form == "markdown" and first.startswith("#")):
            heading = (first.lstrip("# ").strip(),)
        elif form == "code":
            printed = [*map(_printed, _outputs(cell))]
            text = "\n\n".join([text, *(_cut(each) for each in printed if each and each.strip())])
            if None in printed:
                notes.append(f"cell {number} has outputs that cannot be read")
        if text.strip():
            kind: SectionKind = "code" if form == "code" else "prose"
            yield Section(text, heading=heading, kind=kind, metadata={"cell": number})


def _language(notebook: Any) -> str:
    name = _field(_field(_field(notebook, "metadata"), "language_info"), "name")
    return name if name and isinstance(name, str) else "python"


def _outputs(cell: Any) -> list[Any]:
    outputs = _field(cell, "outputs") or []
    return outputs if isinstance(outputs, list) else [outputs]


def _printed(output: Any) -> str | None:
    """The text of an output; None if it is malformed."""
    if not isinstance(output, dict):
        return None
    if "ename" in output:
        error = (_joined(output.get(key)) for key in ("ename", "evalue"))
        return ": ".join(filter(None, error))
    return _joined(output.get("text") or _field(output.get("data"), "text/plain") or "")


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_OUTPUT else f"{text[:_LONGEST_OUTPUT]}\n[…]"


def _field(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None


def _joined(source: Any) -> str | None:
    """A text, or the lines of one."""
    lines = source if isinstance(source, list) else [source]
    return "".join(lines) if all(isinstance(each, str) for each in lines) else None
