"""Where the index of a corpus is kept, and how it records the folder it was made from."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from biblicus_context.base.paths import resolved
from biblicus_context.errors import InputError, PlanError
from biblicus_context.spec.corpus import CorpusSettings

FOLDER: Final = ".biblicus-context"


def index_folder_of(settings: CorpusSettings, name: str) -> Path:
    """The folder of a corpus' index: the declared `store`, else one next to its root."""
    if settings.store:
        return Path(settings.store)
    if settings.root is None:
        fix = "Set `root` to index files, or `store` for documents that programs write."
        raise PlanError("a corpus needs a root or a store", place=f"corpus '{name}'", fix=fix)
    return store_of(Path(settings.root), name)


def store_of(root: Path, name: str) -> Path:
    """The default index folder of a root: next to the files, never among them.

    >>> store_of(Path("/data/handbook"), "handbook").as_posix()
    '/data/.biblicus-context/handbook'
    """
    if name in ("", ".", "..") or any(sign in name for sign in "/\\\0"):
        raise InputError(
            "the name of a corpus must be valid as the name of a folder",
            found=name,
            fix="Remove the slashes.",
        )
    return resolved(root).parent / FOLDER / name


def hide_from_git(folder: Path) -> None:
    """Keep an index at its default place out of version control, as caches of other tools are.

    What is there already stays. Where nothing can be written, the index is still good.
    """
    if folder.parent.name == FOLDER:
        with suppress(OSError), (folder.parent / ".gitignore").open("x", encoding="utf-8") as file:
            file.write("# Indexes of corpora; `biblicus-context index` makes them again.\n*\n")


def relative_source(folder: Path, root: Path) -> str:
    """The root relative to the index folder, so that both can be moved together.

    >>> relative_source(Path("/data/.biblicus-context/handbook"), Path("/data/handbook"))
    '../../handbook'
    """
    try:
        return Path(os.path.relpath(resolved(root), resolved(folder))).as_posix()
    except ValueError:  # on another drive
        return resolved(root).as_posix()


def resolve_source(folder: Path, recorded: str) -> Path:
    """The root that an index in this folder has recorded."""
    return Path(os.path.normpath(resolved(folder) / recorded))


def is_other_folder(source: Path, root: Path) -> bool:
    """Whether the source exists and is not the root.

    A source that is gone is not another folder: it may have been moved to the root, and no file
    of it can be confused with one of the root.
    """
    try:
        return not source.samefile(root)
    except OSError:
        return False
