"""Frames: texts that quote packs with `place: quoted`, as their own words and the packs between them.

Such a pack is rendered as a mark, and the rendered text is split at the marks. So it is known where
in the message each block is, without a search, and the pack can shrink and grow inside the text.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

from biblicus_context.errors import TemplateError
from biblicus_context.retrieval.packs.block_format import unforgeable

Frame: TypeAlias = tuple[str | int, ...]
"""Own words, and between them the numbers of the packs that are quoted; words come first and last."""

# No value, no evidence and no author can spell a mark: each process draws another one,
# and it is never part of a result.
_SECRET: Final = os.urandom(16).hex()
_MARK: Final = re.compile(f"\ue000{_SECRET}:([0-9]+)\ue000")

PROBE: Final = " Aa\n<1> "
"""What stands for a pack that is not fetched yet: most filters change it."""


def mark(pack: int) -> str:
    """What stands for the pack of this number in a rendered text."""
    return f"\ue000{_SECRET}:{pack}\ue000"


def frame_of(rendered: str) -> Frame:
    """A rendered text, split at its marks.

    >>> frame_of(f"Evidence: {mark(3)}.")
    ('Evidence: ', 3, '.')
    """
    pieces = _MARK.split(rendered)
    return tuple(int(piece) if at % 2 else piece for at, piece in enumerate(pieces))


def own_words(frame: Frame) -> str:
    """The text without what it quotes."""
    return "".join(piece for piece in frame if isinstance(piece, str))


def unforgeable_words(frame: Frame) -> Frame:
    """The frame whose words spell no tag: a value in them must not look like fenced evidence."""
    return tuple(unforgeable(piece) if isinstance(piece, str) else piece for piece in frame)


def quotes_in(frame: Frame) -> list[int]:
    """The numbers of the packs that a text quotes, once for each quote."""
    return [piece for piece in frame if isinstance(piece, int)]


def check_quotes(
    frame: Frame,
    texts: Mapping[int, str],
    render: Callable[[Mapping[str, Any]], str],
    names: Mapping[str, Any],
    place: str,
) -> None:
    """Raise where a text does more with the packs it quotes than to write them as they are."""
    written = "".join(piece if isinstance(piece, str) else texts[piece] for piece in frame)
    if render(names) != written:
        raise TemplateError(
            "a pack with place: quoted is written as it is, and this text changes it or depends on it",
            place=place,
            fix="Write {context.NAME} without filters, and test only whether it is empty: "
            "{% if context.NAME %}.",
        )


def copies_in(frames: Iterable[Frame]) -> dict[int, int]:
    """How often each pack is quoted."""
    copies: dict[int, int] = {}
    for frame in frames:
        for pack in quotes_in(frame):
            copies[pack] = copies.get(pack, 0) + 1
    return copies
