"""Indexes in and below the current folder, by name."""

from __future__ import annotations

from collections.abc import Iterator
from os.path import isfile  # False for a name that no file can have, where pathlib raises
from pathlib import Path
from typing import Final

from biblicus_context.corpora.corpus import LOCAL, Corpus
from biblicus_context.corpora.index_location import FOLDER
from biblicus_context.errors import UnknownNameError
from biblicus_context.spec.corpus import CorpusSettings
from biblicus_context.stores import Principal
from biblicus_context.stores.marker import MARKER

_BELOW: Final = ("", "*/", "*/*/")
"""Which folders below the current one are listed: two levels."""


def local_index_names() -> list[str]:
    """The names of the indexes in this folder, then of those below it with their folder."""
    found = (sorted(Path().glob(f"{below}{FOLDER}/*/{MARKER}")) for below in _BELOW)
    places = (mark.parent for marks in found for mark in marks)
    return [(place.parent.parent / place.name).as_posix() for place in places]


def open_local_index(name: str, principal: Principal = LOCAL) -> Corpus:
    """The corpus of an index, to search it: by name, with its folder in front.

    That is also the path of a folder that was indexed under its own name; the path of the index
    folder works too. Only a declaration knows for sure where the files are.
    """
    place = local_index_folder(name)
    if place is None:
        raise UnknownNameError("Corpus", name, local_index_names())
    root = CorpusSettings(root=str(place.parent.parent / place.name))
    return Corpus(place.name, root, principal=principal, store=place, is_declared=False)


def local_index_folder(name: str) -> Path | None:
    """The folder of the index of this name."""
    return next((each for each in _places(name) if isfile(each / MARKER)), None)


def _places(name: str) -> Iterator[Path]:
    path = Path(
        name
    ).absolute()  # not resolved: a link to an index must not be removed as if it were one
    yield path.parent / FOLDER / path.name
    yield path
