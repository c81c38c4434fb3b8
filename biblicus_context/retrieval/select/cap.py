"""No single block above a share of the budget: a longer one is shortened, and says where the rest is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Self

from biblicus_context.base.effects import Effectful
from biblicus_context.errors import InputError, PlanError
from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.packs.block_format import one_line
from biblicus_context.text.compaction import Compaction
from biblicus_context.text.counters import Counter
from biblicus_context.text.headings import shortened_words
from biblicus_context.text.templates.placeholders import unknown_name
from biblicus_context.text.templates.template import Template, compile_template
from biblicus_context.text.templates.values import as_text

if TYPE_CHECKING:
    from biblicus_context.spec.choosing import ItemCapSpec
    from biblicus_context.text.compactors import BaseCompactor


_USUAL: Final = "\n[… {tokens} more tokens: {where}]"
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


_SPARE: Final = 2
"""Tokens that a text and its note may count more together than apart: each retry gives way by this."""
_NEVER_CUT: Final = 50
"""Characters below which a block says too little to be shortened."""
_ENOUGH: Final = 64
"""Tokens in which the best sentences of any block say something."""
_BEST_SENTENCES: Final = Compaction().building_late("extractive")


@dataclass(frozen=True, slots=True)
class ShortenedBlock:
    """What is left of a block within a number of tokens."""

    candidate: Candidate
    """With its new text and tokens, and how many are left out."""
    note: str | None = None
    """What was corrected in the answer of the compactor."""


@dataclass(frozen=True, slots=True)
class ItemCap:
    """The part of a budget that one block may use, and what shortens a longer one."""

    share: float
    compactor: BaseCompactor | None = None
    """None: the sentences that matter most for the query stay."""
    cut_note: CutNote = field(default_factory=lambda: CutNote(_USUAL))
    least: int = 0
    """Tokens below which a block over its cap is skipped: whole blocks say more than a few words of it."""
    is_declared: bool = True
    """Whether an author set it."""

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            problem = "a cap is a share of the budget, above 0 and up to 1"
            raise InputError(problem, found=self.share)

    @classmethod
    def of(
        cls,
        spec: ItemCapSpec | None,
        build: Callable[[str | Mapping[str, Any] | None], BaseCompactor],
    ) -> Self:
        """The cap that settings declare; `build` returns the compactor that they name.

        Without one, a block that is longer than the whole share is shortened to it.
        """
        if spec is None:
            return cls(1.0, least=_ENOUGH, is_declared=False)
        compactor = None if spec.compactor is None else build(spec.compactor)
        note = _USUAL if spec.cut_note is None else spec.cut_note
        return cls(spec.share, compactor, CutNote(note))

    @property
    def makes_calls(self) -> bool:
        """Whether its compactor makes slow calls, which are the engine's to make."""
        return self.compactor is not None and self.compactor.makes_calls

    def most(self, budget: int) -> int:
        """The tokens that one block may use."""
        return int(budget * self.share)

    def is_long(self, text: str) -> bool:
        """Whether a text is long enough to be cut."""
        return len(text) >= _NEVER_CUT

    def fitted(
        self, block: Candidate, budget: int, counter: Counter, query: str = ""
    ) -> Effectful[ShortenedBlock | None]:
        """The block within its part of the budget; None if nothing of it fits."""
        most = self.most(budget)
        if block.tokens <= most or not self.is_long(block.text):
            return ShortenedBlock(block)
        return (yield from self.shortened(block, most, counter, query))

    def shortened(
        self, block: Candidate, most: int, counter: Counter, query: str = ""
    ) -> Effectful[ShortenedBlock | None]:
        """A block in at most this many tokens, with the note if both fit; None if nothing fits."""
        room = most - counter.count(self.cut_note.written(block, block.tokens))
        while room > 0:
            body, problem = yield from self._body(block.text, room, counter, query)
            if not body.strip():
                break
            left_out = max(0, block.tokens - counter.count(body))
            text = body + self.cut_note.written(block, left_out)
            tokens = counter.count(text)
            if tokens <= most:
                return ShortenedBlock(_with(block, text, tokens, left_out), problem)
            room -= max(_SPARE, tokens - most)
        room = most
        while room > 0:
            body, problem = yield from self._body(block.text, room, counter, query)
            if not body.strip():
                break
            tokens = counter.count(body)
            if tokens <= most:
                left_out = max(0, block.tokens - tokens)
                return ShortenedBlock(_with(block, body, tokens, left_out), problem)
            room -= tokens - most
        return None

    def _body(
        self, text: str, room: int, counter: Counter, query: str
    ) -> Effectful[tuple[str, str | None]]:
        """The text in at most `room` tokens and those of escapes, and what was corrected."""
        compactor = self.compactor or _BEST_SENTENCES()
        shortened = yield from compactor.within(text, room, query, counter)
        return shortened_words(text, shortened.text), shortened.note


def _with(block: Candidate, text: str, tokens: int, left_out: int) -> Candidate:
    return block._replace(text=text, tokens=tokens, left_out=left_out)
