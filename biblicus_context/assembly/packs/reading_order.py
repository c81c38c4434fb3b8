"""Blocks in the order of their documents, turns under one line for each session."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, Final, NamedTuple, TypeAlias

from biblicus_context.assembly.packs.piece import PackPiece, PlacedPiece
from biblicus_context.retrieval.packs.block_format import one_line
from biblicus_context.retrieval.packs.evidence import source_of
from biblicus_context.retrieval.packs.facts import facts_of

_BETWEEN_TURNS: Final = "\n"
_LATEST: Final = sys.maxsize

_Position: TypeAlias = int
_Session: TypeAlias = tuple[str | None, str]
"""A source, and the name of a session in it."""


def in_reading_order(pieces: Sequence[PlacedPiece]) -> list[PlacedPiece]:
    """Documents in the order of their best block, and the blocks of each in its own order.

    Documents that are parts of one another, or of the same one, stand together, as that one has them.
    """
    order = _order_of_documents(pieces)
    starts: dict[_Session, _Position] = {}
    for _, piece in pieces:
        session = _session(piece)
        if session is not None:
            starts[session] = min(_position(piece), starts.get(session, _LATEST))

    def key(placed: PlacedPiece) -> tuple[int, _Position, str, _Position]:
        """The turns of one session stay together, also where sessions were recorded in turn."""
        piece = placed.piece
        position, session = _position(piece), _session(piece)
        start, name = (starts[session], session[1]) if session else (position, "")
        return order[source_of(piece.block)], start, name, position

    return [*_under_sessions(sorted(pieces, key=key))]


class _Leaf(NamedTuple):
    """A document in a tree of documents."""

    source: str | None
    parent: str | None
    position: int


def _order_of_documents(pieces: Sequence[PlacedPiece]) -> dict[str | None, int]:
    """The place of each source: trees of documents by their best one, each from the top."""
    known: dict[str | None, _Leaf] = {}
    for _, piece in pieces:
        facts = facts_of(piece.block) if piece.block else None
        source = source_of(piece.block)
        name = facts.document if facts and facts.document else source
        if name not in known:
            place = facts.among_siblings if facts else None
            parent = facts.parent if facts else None
            known[name] = _Leaf(source, parent, _LATEST if place is None else place)
    if all(each.parent is None for each in known.values()):
        return {each.source: place for place, each in enumerate(known.values())}
    families: dict[str | None, int] = {}
    keys: dict[str | None, tuple[Any, ...]] = {}
    for name in known:
        chain = _chain(name, known)
        top = known[chain[0]].parent or chain[0]
        family = families.setdefault(top, len(families))
        steps = [(known[each].position, str(each)) for each in chain]
        # What the family is inside stands before its parts, if it is there itself.
        keys[name] = (family, *([steps] if chain[0] != top else [steps[1:]]))
    return {
        known[name].source: place for place, name in enumerate(sorted(known, key=keys.__getitem__))
    }


def _chain(name: str | None, known: Mapping[str | None, _Leaf]) -> list[str | None]:
    """A document with those that it is inside, as far as they are there; the outermost first."""
    chain = [name]
    while (parent := known[chain[0]].parent) in known and parent not in chain:
        chain.insert(0, parent)
    return chain


def _under_sessions(pieces: Sequence[PlacedPiece]) -> Iterator[PlacedPiece]:
    above: _Session | None = None
    for placed, following in zip_longest(pieces, pieces[1:]):
        piece = placed.piece
        here = _session(piece)
        if here is None:
            yield placed
        else:
            own = piece if here == above else _with_line(piece, here[1])
            goes_on = following is not None and _session(following.piece) == here
            own = own._replace(separator=_BETWEEN_TURNS) if goes_on else own
            yield placed._replace(piece=own)
        above = here


def _with_line(piece: PackPiece, line: str) -> PackPiece:
    """The line goes inside the fence: its text comes from the same untrusted source as the turns."""
    line = one_line(line)
    return piece.below(line)


def _session(piece: PackPiece) -> _Session | None:
    name = _said(piece).get("session")
    return (source_of(piece.block), name) if isinstance(name, str) and name else None


def _position(piece: PackPiece) -> _Position:
    """Its place in the document, as far as the retriever says one."""
    match _said(piece):
        case {"position": int(position)}:
            return position
        case {"lines": [int(first), int()]}:
            return first
        case _:
            return 0


def _said(piece: PackPiece) -> Mapping[str, Any]:
    return (piece.block.metadata if piece.block else None) or {}
