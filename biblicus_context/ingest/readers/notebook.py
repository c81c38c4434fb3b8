"""Jupyter notebooks: texts, code and what the code printed; pictures are left out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from biblicus_context.ingest.content import Content
from biblicus_context.ingest.section import Parsed, Section, SectionKind
from biblicus_context.ingest.unreadable import UnreadableError

_LONGEST_OUTPUT = 2_000


def read_notebook(content: Content) -> Parsed:
    """A section for each cell, below the last heading of the texts before it."""
    try:
        notebook = json.loads(content.text())
        sections = tuple(_sections(notebook["cells"]))
        language = _language(notebook)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise UnreadableError("it is not a notebook") from None
    title = next((each.heading[0] for each in sections if each.heading), "")
    return Parsed("notebook", sections, title=title, language=language)


def _sections(cells: list[Mapping[str, Any]]) -> Iterator[Section]:
    heading: tuple[str, ...] = ()
    for number, cell in enumerate(cells):
        text = _joined(cell["source"])
        if cell["cell_type"] == "markdown":
            first = text.lstrip().split("\n", 1)[0]
            if first.startswith("#"):
                heading = (first.lstrip("# ").strip(),)
        elif cell["cell_type"] == "code":
            text = "\n\n".join([text, *_outputs(cell.get("outputs") or ())])
        if text.strip():
            kind: SectionKind = "code" if cell["cell_type"] == "code" else "prose"
            yield Section(text, heading=heading, kind=kind, metadata={"cell": number})


def _language(notebook: Mapping[str, Any]) -> str:
    said = (notebook.get("metadata") or {}).get("language_info") or {}
    return str(said.get("name") or "python")


def _outputs(outputs: Any) -> Iterator[str]:
    for output in outputs:
        data = output.get("data") or {}
        text = _joined(output.get("text") or data.get("text/plain") or "")
        if text.strip():
            cut = "\n[…]" if len(text) > _LONGEST_OUTPUT else ""
            yield f"{text[:_LONGEST_OUTPUT]}{cut}"


def _joined(source: Any) -> str:
    return source if isinstance(source, str) else "".join(source)
