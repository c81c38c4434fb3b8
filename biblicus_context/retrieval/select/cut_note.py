"""The note after a block that was shortened: where the rest of it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from biblicus_context.errors import PlanError
from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.packs.block_format import one_line
from biblicus_context.text.templates.placeholders import unknown_name
from biblicus_context.text.templates.template import Template, compile_template
from biblicus_context.text.templates.values import as_text

USUAL: Final = "\n[… {tokens} more tokens: {where}]"
_EXAMPLE: Final = Candidate(id="", text="", tokens=0)


class CutNote:
    """A text with facts of the block; values are data, in one line each.

    >>> note = CutNote("\\n(see {path}:{lines}, {{ metadata.author }})")
    >>> block = Candidate(
    ...     id="a", text="", tokens=9, path="a.md", lines=(3, 8), metadata={"author": "Ada"}
    ... )
    >>> note.written(block, 5)
    '\\n(see a.md:3-8, Ada)'
    """

    def __init__(self, template: str, *, place: str = "cut_note") -> None:
        self._template: Template = compile_template(template, place=place)
        known = _facts(_EXAMPLE, 0)
        for name in sorted(self._template.names):
            first, *rest = name.split(".")
            if first not in known:
                raise unknown_name(first, known, where="cut_note", place=place)
            if rest and first != "metadata":
                problem = f"{first} has no parts in a cut_note"
                raise PlanError(problem, place=place, found=name, valid=[first, "metadata.NAME"])

    def written(self, block: Candidate, left_out: int) -> str:
        """The note of a block of which so many tokens are left out."""
        return self._template.render(_facts(block, left_out))


def _facts(block: Candidate, left_out: int) -> Mapping[str, object]:
    first, last = block.lines or (None, None)
    facts: Mapping[str, object] = {
        "id": block.id,
        "kind": block.kind,
        "title": block.title,
        "path": block.path,
        "source": block.source,
        "where": block.where or block.source or block.id,
        "lines": None if first is None else f"{first}-{last}",
        "start_line": first,
        "end_line": last,
        "tokens": left_out,
    }
    written = {name: "" if fact is None else _data(fact) for name, fact in facts.items()}
    return {**written, "metadata": _OneLine(block.metadata)}


def _data(fact: object) -> object:
    if isinstance(fact, int | float):
        return fact
    return _OneLine(fact) if isinstance(fact, Mapping) else one_line(as_text(fact))


class _OneLine(Mapping[str, object]):
    """Metadata, in which what is missing is empty and no text starts a line."""

    def __init__(self, values: Mapping[str, object]) -> None:
        self._values = values

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and not name.startswith("_")

    def __getitem__(self, name: str) -> object:
        fact = self._values.get(name)
        return "" if fact is None else _data(fact)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)
