"""No single block above a share of the budget: a longer one is shortened, and says where the rest is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Self

from biblicus_context.base.effects import Effectful
from biblicus_context.errors import InputError
from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.select.cut_note import USUAL, CutNote
from biblicus_context.text.compaction import Compaction
from biblicus_context.text.counters import Counter
from biblicus_context.text.headings import shortened_words

if TYPE_CHECKING:
    from biblicus_context.spec.item_cap import ItemCapSpec
    from biblicus_context.text.compactors import BaseCompactor

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
    cut_note: CutNote = field(default_factory=lambda: CutNote(USUAL))
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
        note = USUAL if spec.cut_note is None else spec.cut_note
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
