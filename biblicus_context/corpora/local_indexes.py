"""The indexes that are kept near the folder a program runs in, by their names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from biblicus_context.corpora.corpus import LOCAL, Corpus
from biblicus_context.corpora.index_location import FOLDER
from biblicus_context.errors import UnknownNameError
from biblicus_context.spec.corpus_settings import CorpusSettings
from biblicus_context.stores import Principal
from biblicus_context.stores.marker import MARKER

_BELOW: Final = ("", "*/", "*/*/")
"""How far below the current folder indexes are looked for, to list them."""


def local_index_names() -> list[str]:
    """The names of the indexes of this folder, then those below it, each with its folder."""
    found = (sorted(Path().glob(f"{below}{FOLDER}/*/{MARKER}")) for below in _BELOW)
    places = (mark.parent for marks in found for mark in marks)
    return [(place.parent.parent / place.name).as_posix() for place in places]


def open_local_index(name: str, principal: Principal = LOCAL) -> Corpus:
    """The corpus of an index, to be asked: by its name, with the folder it stands in before it.

    That is the path of a folder that was indexed under its own name; the index itself may be named
    as well. Where its files are only a declaration knows for sure.
    """
    place = local_index_folder(name)
    if place is None:
        raise UnknownNameError("Corpus", name, local_index_names())
    root = CorpusSettings(root=str(place.parent.parent / place.name))
    return Corpus(place.name, root, principal=principal, store=place, is_declared=False)


def local_index_folder(name: str) -> Path | None:
    """The folder of the index that is named so."""
    return next((each for each in _places(name) if (each / MARKER).is_file()), None)


def _places(name: str) -> Iterator[Path]:
    path = Path(name).absolute()  # not resolved: a link is no index of ours to remove
    yield path.parent / FOLDER / path.name
    yield path
