"""Citations: short ids by which an answer names its evidence."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, Literal

from biblicus_context import citation_id
from biblicus_context.systems.prime.models import Citation, ContextItem, ItemType

_PREFIX: Final[dict[ItemType, str]] = {"message": "mes"}
_TYPE: Final[dict[ItemType, Literal["file", "message"]]] = {"message": "message"}
_ID: Final = re.compile(r"\[(?:fil|mes)-[0-9a-f]{8,64}\]")
_EXCERPT: Final = 50


class CitationManager:
    """The citations of one answer.

    An id depends on the item alone, so it is the same in every context. Where two items of one
    manager would share an id, the second one has a longer id.

    >>> manager = CitationManager()
    >>> [lamp] = manager.generate_citations([ContextItem(id="f1#0", type="file", content="A lamp.", source="a.md")])
    >>> manager.mark_as_used(lamp.id)
    True
    >>> manager.format_citations_for_response().splitlines()[-1] == f"{lamp.id}: a.md"
    True
    """

    def __init__(self, citations: Iterable[Citation] = ()) -> None:
        """Pass the citations of a context to mark those that an answer uses."""
        self._citations = {each.id: each for each in citations}
        self._items: dict[str, str] = {}
        """The item of each id that was generated here."""

    def generate_citations(self, items: Iterable[ContextItem]) -> list[Citation]:
        """A citation for each item, in order."""
        return [self._citation(each) for each in items]

    def mark_as_used(self, citation_id: str) -> bool:
        """Mark a citation as used; False if there is no such citation."""
        known = self._citations.get(citation_id)
        if known is not None:
            self._citations[citation_id] = known.model_copy(update={"used_in_response": True})
        return known is not None

    def mark_used_in(self, answer: str) -> list[str]:
        """Mark every citation that an answer names, and return their ids, each once."""
        named = dict.fromkeys(_ID.findall(answer))
        return [each for each in named if self.mark_as_used(each)]

    def format_citations_for_response(self, citations: Iterable[Citation] | None = None) -> str:
        """The sources to write below an answer: those of the given citations (or of all) that it uses."""
        given = self._citations.values() if citations is None else citations
        known = [self._citations.get(each.id, each) for each in given]
        lines = [_line(each) for each in known if each.used_in_response]
        return "\n\n---\nSources:\n" + "\n".join(lines) if lines else ""

    def _citation(self, item: ContextItem) -> Citation:
        name = self._free_id(item)
        known = self._citations.get(name)
        citation = Citation(
            id=name,
            source=item.source,
            type=_TYPE.get(item.type, "file"),
            path=item.metadata.path,
            excerpt=item.excerpt,
            relevance=item.relevance,
            used_in_response=known.used_in_response if known else False,
        )
        self._citations[name] = citation
        self._items[name] = item.id
        return citation

    def _free_id(self, item: ContextItem) -> str:
        short = citation_id(item.id)
        names = (f"[{_PREFIX.get(item.type, 'fil')}-{short}{'0' * n}]" for n in range(56))
        return next(each for each in names if self._items.get(each, item.id) == item.id)


def _line(citation: Citation) -> str:
    """One line each, whatever a file is called or says."""
    excerpt = " ".join((citation.excerpt or "").split())[:_EXCERPT]
    source = " ".join(citation.source.split())
    return f"{citation.id}: {source}{f' - {excerpt}...' if excerpt else ''}"
