"""A sitemap that was saved: a record for each address. Other XML is read as text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from biblicus_context.base.doors import door
from biblicus_context.base.timestamps import moment
from biblicus_context.ingest.chunks.section import Parsed, Section, UnreadableError
from biblicus_context.ingest.files.content import Content
from biblicus_context.ingest.readers.plain import read_text
from biblicus_context.ingest.readers.small_records import of_many
from biblicus_context.ingest.readers.xml_nodes import xml_nodes

_ROOT: Final = re.compile(r"<(?:\w+:)?(?:urlset|sitemapindex)[\s>]")
_BEGINNING: Final = 4_096
_AT_ONCE: Final = 64 * 1024
_ENTRIES: Final = frozenset({"url", "sitemap"})
_KEPT: Final = frozenset({"loc", "lastmod", "title", "caption"})


@door
def read_xml(content: Content) -> Parsed:
    """The addresses of a sitemap with their dates and titles, or the whole text of other XML."""
    text = content.text()
    if not _ROOT.search(text[:_BEGINNING]):
        return read_text(content)
    try:
        sections = of_many(map(_section, _entries(text)))
    except UnreadableError as error:
        plain = read_text(content)
        return Parsed(plain.kind, plain.sections, notes=(f"read as text: {error}",))
    return Parsed("data", sections, notes=() if sections else ("the sitemap has no addresses",))


def _entries(text: str) -> Iterator[dict[str, str]]:
    entry: dict[str, str] = {}
    name = ""
    data = text.encode(errors="replace")
    pieces = (data[start : start + _AT_ONCE] for start in range(0, len(data), _AT_ONCE))
    # Its encoding was found when the file was read, whatever the declaration says.
    for node in xml_nodes(pieces, "utf-8"):
        if node.kind == "text" and name:
            entry[name] = entry.get(name, "") + node.value
        elif node.kind == "start":
            entry = {} if node.value in _ENTRIES else entry
            name = node.value if node.value in _KEPT else ""
        elif node.kind == "end":
            name = ""
            if node.value in _ENTRIES and entry.get("loc", "").strip():
                yield {key: value.strip() for key, value in entry.items()}


def _section(entry: Mapping[str, str]) -> Section:
    changed = moment(entry.get("lastmod"))
    lines = [entry.get("title", ""), entry["loc"], entry.get("caption", "")]
    if changed:
        lines.append(f"last changed: {changed.date().isoformat()}")
    text = "\n".join(line for line in lines if line)
    return Section(text, kind="record", metadata={"url": entry["loc"]})
