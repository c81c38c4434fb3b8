"""Where the store of a corpus lives: beside its files, never among them, unless somebody says."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from biblicus_context.errors import InputError
from biblicus_context.spec.corpus_settings import CorpusSettings

FOLDER: Final = ".biblicus-context"


def place_of(settings: CorpusSettings, name: str) -> Path:
    """The folder of a corpus' store: as its settings say, else beside its root."""
    return Path(settings.store) if settings.store else store_of(Path(settings.root), name)


def store_of(root: Path, name: str) -> Path:
    """The folder of a corpus' store, for the root and the name it is declared with.

    >>> store_of(Path("/data/handbook"), "handbook").as_posix()
    '/data/.biblicus-context/handbook'
    """
    if name in ("", ".", "..") or any(sign in name for sign in "/\\\0"):
        raise InputError(
            "a corpus needs a name that can be a folder's", found=name, fix="Leave out slashes."
        )
    return root.resolve().parent / FOLDER / name
