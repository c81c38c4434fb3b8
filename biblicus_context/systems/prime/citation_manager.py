"""Citations of an answer: short ids by which it names its evidence, and the list of its sources."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, Literal, Protocol

from pydantic import BaseModel, ConfigDict

from biblicus_context.base import door
from biblicus_context.retrieval import citation_id

_ID: Final = re.compile(r"\[[a-z]{1,3}-[0-9a-f]{8,64}\]")
_EXCERPT: Final = 50
_LONGEST: Final = 64


class SourceCitation(BaseModel):
    """What an answer names an item by."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    source: str
    type: Literal["file", "document", "message"]
    path: str | None = None
    excerpt: str | None = None
    relevance: float
    used_in_response: bool = False


class Citable(Protocol):
    """An item that can be cited."""

    @property
    def id(self) -> str: ...
    @property
    def source(self) -> str: ...
    @property
    def path(self) -> str | None: ...
    @property
    def excerpt(self) -> str | None: ...
    @property
    def relevance(self) -> float: ...
    @property
    def citation_type(self) -> Literal["file", "document", "message"]: ...


@door
class CitationManager:
    """The citations of one answer.

    An id depends on the type and the id of an item alone, so it is the same in every context. Where
    two items of one manager would share an id, the second one gets a longer id. A context has the
    short id of both, so an answer that names it uses both.
    """

    def __init__(self, citations: Iterable[SourceCitation] = ()) -> None:
        """Pass the citations of a context, to mark those that an answer uses."""
        self._citations: dict[str, SourceCitation] = {}
        self._alike: dict[str, dict[str, None]] = {}
        """The ids that differ by zeros at their ends alone, by what they have in common."""
        for each in citations:
            self._keep(each)
        self._items: dict[str, str] = {}
        """The item of each id that was generated here."""

    def generate_citations(self, items: Iterable[Citable]) -> list[SourceCitation]:
        """A citation for each item, in order."""
        return [self._citation(each) for each in items]

    def mark_as_used(self, citation_id: str) -> bool:
        """Mark a citation as used; False if there is no such citation."""
        return bool(self._marked(citation_id))

    def mark_used_in(self, answer: str) -> list[str]:
        """Mark every citation that an answer names, and return their ids, each once."""
        named = dict.fromkeys(_ID.findall(answer))
        return [*dict.fromkeys(each for name in named for each in self._marked(name))]

    def format_citations_for_response(
        self, citations: Iterable[SourceCitation] | None = None
    ) -> str:
        """The sources to write below an answer: those of the citations (or of all) that it uses."""
        given = self._citations.values() if citations is None else citations
        known = [self._citations.get(each.id, each) for each in given]
        lines = [_line(each) for each in known if each.used_in_response]
        return "\n\n---\nSources:\n" + "\n".join(lines) if lines else ""

    def _marked(self, citation_id: str) -> list[str]:
        short = citation_id[:-1]
        alike = self._alike.get(_common(citation_id), ())
        named = [each for each in alike if each.startswith(short)]
        for each in named:
            used = self._citations[each].model_copy(update={"used_in_response": True})
            self._citations[each] = used
        return named

    def _citation(self, item: Citable) -> SourceCitation:
        name = self._free_id(item)
        known = self._citations.get(name)
        citation = SourceCitation(
            id=name,
            source=item.source,
            type=item.citation_type,
            path=item.path,
            excerpt=item.excerpt,
            relevance=item.relevance,
            used_in_response=known is not None and known.used_in_response,
        )
        self._keep(citation)
        self._items[name] = item.id
        return citation

    def _keep(self, citation: SourceCitation) -> None:
        self._citations[citation.id] = citation
        self._alike.setdefault(_common(citation.id), {})[citation.id] = None

    def _free_id(self, item: Citable) -> str:
        short, prefix = citation_id(item.id), item.citation_type[:3]
        names = (f"[{prefix}-{short:0<{size}}]" for size in range(len(short), _LONGEST))
        return next(each for each in names if self._items.get(each, item.id) == item.id)


def _common(citation_id: str) -> str:
    return citation_id[:-1].rstrip("0")


def _line(citation: SourceCitation) -> str:
    """One line for each, whatever a file is called or says."""
    excerpt = " ".join((citation.excerpt or "").split())[:_EXCERPT]
    source = " ".join(citation.source.split())
    return f"{citation.id}: {source}{f' - {excerpt}...' if excerpt else ''}"
