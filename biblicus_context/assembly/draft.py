"""The draft: everything known of one assembly so far, frozen; each step returns a new one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from biblicus_context.assembly.call import Call
from biblicus_context.assembly.history.selection import NO_HISTORY, SelectedTurns
from biblicus_context.assembly.limits import Limits
from biblicus_context.assembly.packs.combined_state import CombinedState
from biblicus_context.assembly.packs.frames import (
    Frame,
    frame_of,
    mark,
    own_words,
    unforgeable_words,
)
from biblicus_context.assembly.packs.piece import PackPiece
from biblicus_context.assembly.packs.row import FittedPack, PackRow
from biblicus_context.assembly.queries.rewriting import Rewritten
from biblicus_context.assembly.reasons import PartKind, Reason
from biblicus_context.assembly.steps.parts import Names, PackPart, Part, TextPart
from biblicus_context.base.effects import Effectful
from biblicus_context.errors import ContextError
from biblicus_context.retrieval.choosing.left_out import LeftOut
from biblicus_context.retrieval.packs.pack import ContextPackBlock
from biblicus_context.retrieval.relevance import Relevance
from biblicus_context.spec.context import ContextDeclaration

if TYPE_CHECKING:
    from biblicus_context.assembly.result.same_prefix import ComparedPrefix
    from biblicus_context.assembly.steps.layout import MessageLayout


class Attempt(NamedTuple):
    """One of the answers of a retriever that a pack can be made of."""

    row: PackRow
    filled: int
    """The tokens of its pieces, counted one by one."""
    pages: int = 0
    repeated: tuple[tuple[str, Reason], ...] = ()
    """Blocks left out before anything was fitted: (id, reason)."""
    failure: str = ""
    stop: Reason | None = None
    further: Callable[[int], Effectful[Gathered]] | None = None
    """Asks for more under a larger share; None where there is nothing more, as far as is known."""
    combined: CombinedState | None = None
    """What the sources of a combined retriever offered."""


class Gathered(NamedTuple):
    """The result of asking for one pack."""

    fitted: FittedPack
    query: str = ""
    share: int | None = None
    requests: int = 0
    pages: int = 0
    repeated: tuple[tuple[str, Reason], ...] = ()
    """Blocks left out before anything was fitted: (id, reason)."""
    failure: str = ""
    attempts: tuple[Attempt, ...] = ()
    """All answers: another one may be the best under another share."""
    further: Callable[[int], Effectful[Gathered]] | None = None
    """As that of the answer which the pack is made of."""
    warnings: tuple[str, ...] = ()
    """What the retriever says about its answers."""
    relevance: Relevance | None = None
    """Whether anything that was found is relevant, where the retriever decides it."""
    not_asked: Reason | None = None
    """Why it was not asked, where that is not the budget."""
    stop: Reason | None = None
    """What ended paging although the retriever may have more."""
    is_cut: bool = False
    """Whether the retriever returned more blocks than are read."""
    is_filled: bool = False
    """Whether its last block is cut to its share already."""
    nested: Draft | None = None
    combined: CombinedState | None = None
    """What the sources of a combined retriever offered."""
    earlier: tuple[Attempt, ...] = ()
    """Further answers, of which nothing is placed."""
    row_of: Callable[[list[ContextPackBlock]], PackRow] | None = None
    """Writes further blocks as those of this pack; None where no retriever was asked."""
    given_up: tuple[tuple[PackPiece, int], ...] = ()
    """Pieces that go because another pack has the same, each with its tokens."""

    @property
    def combined_left_out(self) -> tuple[LeftOut, ...]:
        """What a combined retriever was offered, and has on no page."""
        return self.combined.left_out if self.combined else ()

    def instead_of(self, others: Gathered) -> Gathered:
        """This result in place of another one, whose answers stay in the account."""
        return self._replace(
            requests=self.requests + others.requests,
            earlier=(*self.earlier, *others.earlier, *others.attempts),
            given_up=(*others.given_up, *self.given_up),
        )


class Placement(NamedTuple):
    """What will be placed; each step of fitting returns a smaller one."""

    packs: Mapping[int, FittedPack]
    shortened: Mapping[int, str] = MappingProxyType({})
    """Authored texts that were shortened, by part."""
    history: SelectedTurns = NO_HISTORY


class Unplaced(NamedTuple):
    """A directive, or an alternative of a group, that is not placed."""

    place: str
    kind: PartKind
    reason: Reason
    part: TextPart | PackPart | None = None
    gathered: Gathered | None = None
    """The result of a pack that was asked, but did not fit whole."""
    messages: int = 0
    """Of a history: how many messages were passed."""


class Draft(NamedTuple):
    """One assembly on its way through the steps."""

    context: ContextDeclaration
    call: Call
    limits: Limits
    level: int = 0
    """How deep this context is nested; 0 is the one that is assembled."""
    parts: tuple[Part, ...] = ()
    unplaced: tuple[Unplaced, ...] = ()
    """Directives that are not placed."""
    pack_total: int | None = None
    """The tokens that the packs have together."""
    shares: Mapping[int, int | None] = MappingProxyType({})
    packs: Mapping[int, Gathered] = MappingProxyType({})
    placement: Placement | None = None
    layout: MessageLayout | None = None
    """Where everything in the placement goes."""
    tokens: int = 0
    framing: int = 0
    """Of the tokens, what the message format adds to the plan's own messages."""
    estimated: tuple[str, ...] = ()
    """What in the history has only an estimate: kinds of files, encrypted reasoning."""
    rewrites: Mapping[str, Rewritten] = MappingProxyType({})
    """What the program's rewriter made of queries, by the query."""
    same: ComparedPrefix | None = None
    """What is the same as in the previous result, where one was passed."""
    seconds: tuple[tuple[str, float], ...] = ()
    notes: tuple[str, ...] = ()

    def names(self, packs: Mapping[int, FittedPack], *, quoted: bool = True) -> Names:
        """The names texts may use: the caller's, and the text of each pack under `context`.

        Packs that are placed only where they are quoted are among them on `quoted`.
        """
        if not packs:
            return self.with_packs({})
        return self.with_packs(
            {
                index: packs[index].text
                for index, part in self._packs()
                if index in packs and (quoted or not part.quoted)
            }
        )

    def with_packs(self, texts: Mapping[int, str]) -> Names:
        """The caller's names, and under `context` these texts for packs."""
        given = self.call.names.get("context")
        known = dict(given) if isinstance(given, Mapping) else {}
        if texts:
            known |= {part.name: texts[index] for index, part in self._packs() if index in texts}
        return {**self.call.names, "context": known}

    def frames(self, placement: Placement) -> dict[int, Frame]:
        """The authored texts as they are now, by part, with the packs that they quote."""
        names: QuotableNames | None = None
        frames: dict[int, Frame] = {}
        for index, part in enumerate(self.parts):
            if not isinstance(part, TextPart):
                continue
            if index in placement.shortened:
                frames[index] = (placement.shortened[index],)
            elif part.render is None:
                frames[index] = (part.text,)
            else:
                if names is None:
                    names = QuotableNames(self, self._marked(placement))
                frames[index] = frame_of(part.render(names.up_to(index)))
        return frames

    @property
    def packs_fill_the_rest(self) -> bool:
        """Whether nothing but the budget of the whole limits the packs together."""
        return not self.level and self.limits.pack_total is None and self.pack_total is not None

    def text_without_packs(self, index: int) -> str | None:
        """An authored text where every pack is empty; None where it cannot be written then."""
        part = self.parts[index]
        assert isinstance(part, TextPart)
        if part.render is None:
            return part.text
        given = self.call.names.get("context")
        known = dict.fromkeys(given, "") if isinstance(given, Mapping) else {}
        empty = {part.name: "" for at, part in self._packs() if not part.quoted or at < index}
        try:
            return part.render({**self.call.names, "context": {**known, **empty}})
        except ContextError:
            return None

    def placed_frames(self, placement: Placement) -> dict[int, Frame]:
        """The frames as they are placed: words around evidence cannot spell the tag of a fence."""
        frames = self.frames(placement)
        if not self.call.fenced:
            return frames
        return {
            index: unforgeable_words(frame) if len(frame) > 1 else frame
            for index, frame in frames.items()
        }

    def texts(self, placement: Placement) -> dict[int, str]:
        """The words of the authored texts as they are now, by part."""
        return {index: own_words(frame) for index, frame in self.frames(placement).items()}

    def _marked(self, placement: Placement) -> dict[int, str]:
        """The packs by number: a mark for one that is placed only where it is quoted, else its text."""
        return {
            index: (mark(index) if any(fitted.parts) else "") if part.quoted else fitted.text
            for index, part in self._packs()
            if (fitted := placement.packs.get(index)) is not None
        }

    def _packs(self) -> Iterator[tuple[int, PackPart]]:
        for index, part in enumerate(self.parts):
            if isinstance(part, PackPart):
                yield index, part


class QuotableNames:
    """The names for one text after another, in time that grows with their number alone.

    Packs that are placed only where they are quoted can be quoted by later texts alone.
    """

    def __init__(self, draft: Draft, texts: Mapping[int, str]) -> None:
        here = {at: texts[at] for at, part in draft._packs() if at in texts and not part.quoted}
        self._names = draft.with_packs(here)
        self._known: dict[str, str] = self._names["context"]
        self._last = {part.name: at for at, part in draft._packs() if at in here}
        self._waiting = [
            (at, part.name, texts[at])
            for at, part in reversed([*draft._packs()])
            if at in texts and part.quoted
        ]

    def up_to(self, text: int) -> Names:
        """The names for the text of this part; parts are asked for in order."""
        while self._waiting and self._waiting[-1][0] < text:
            at, name, words = self._waiting.pop()
            if self._last.get(name, -1) < at:
                self._known[name], self._last[name] = words, at
        return self._names
