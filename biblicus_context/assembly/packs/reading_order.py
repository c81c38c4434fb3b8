"""Blocks in the order of their documents, turns under one line for each session."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, Final, TypeAlias

from biblicus_context.assembly.packs.piece import PackPiece, PlacedPiece
from biblicus_context.retrieval.packs.block_format import one_line
from biblicus_context.retrieval.packs.evidence import source_of

_BETWEEN_TURNS: Final = "\n"
_LATEST: Final = sys.maxsize

_Position: TypeAlias = int
_Session: TypeAlias = tuple[str | None, str]
"""A source, and the name of a session in it."""


def in_reading_order(pieces: Sequence[PlacedPiece]) -> list[PlacedPiece]:
    """Documents in the order of their best block, and the blocks of each in its own order."""
    order: dict[str | None, int] = {}
    starts: dict[_Session, _Position] = {}
    for _, piece in pieces:
        order.setdefault(source_of(piece.block), len(order))
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
