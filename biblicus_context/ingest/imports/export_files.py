"""The files of an export: a zip archive, or the folder that it was unpacked to."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from biblicus_context.base.paths import path_of
from biblicus_context.errors import InputError
from biblicus_context.ingest.files.content import Content, read
from biblicus_context.ingest.files.walking import FoundFile, SkippedFile, WalkSettings, walk
from biblicus_context.ingest.imports.archive import Archive

OnSkipped: TypeAlias = Callable[[SkippedFile], None]
"""Gets each file that is skipped, with the reason."""


@dataclass(frozen=True, slots=True)
class ExportFiles:
    """The names of all files, in order; a file is read when it is needed."""

    names: tuple[str, ...]
    skipped: Sequence[SkippedFile]
    read: Callable[[str], Content | SkippedFile]


@contextmanager
def opened_export(place: str | Path) -> Iterator[ExportFiles]:
    """The files at a path."""
    path = path_of(place, "export")
    if os.path.isdir(path):
        yield _in_folder(path)
        return
    if not os.path.isfile(path):
        raise InputError("no such file or folder", found=str(path))
    with Archive(path) as archive:
        files = {each.name: each for each in archive.files}
        yield ExportFiles((*files,), archive.skipped, lambda name: archive.read(files[name]))


def _in_folder(root: Path) -> ExportFiles:
    settings = WalkSettings()
    found: dict[str, FoundFile] = {}
    skipped: list[SkippedFile] = []
    for each in walk(root, settings):
        if isinstance(each, SkippedFile):
            skipped.append(each)
        else:
            found[each.name] = each
    return ExportFiles(
        (*sorted(found),), skipped, lambda name: read(found[name], settings.max_bytes)
    )
