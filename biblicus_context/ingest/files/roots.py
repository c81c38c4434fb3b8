"""The files of several roots, with distinct names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from pathlib import Path
from typing import Final

from biblicus_context.base.paths import resolved
from biblicus_context.errors import InputError
from biblicus_context.ingest.files.walking import (
    ROOT,
    SkippedFile,
    Walked,
    WalkSettings,
    check_root,
    walk,
)

EMPTY_ROOT: Final = "the folder has no files"


def walked(roots: Sequence[Path], settings: WalkSettings) -> Iterator[Walked]:
    """The files below each root; with several roots, names begin with that of the root."""
    if not roots:
        raise InputError("no file or folder given", fix="Name a folder or a file.")
    for root in roots:
        check_root(root)
    real = [resolved(root) for root in roots]
    _check(real)
    for root in real:
        prefix = f"{root.name}/" if len(real) > 1 and root.is_dir() else ""
        nothing = SkippedFile(ROOT, EMPTY_ROOT, for_now=True)
        for each in _or(nothing, walk(root, settings)):
            below = "" if prefix and each.name == ROOT else each.name
            yield each._replace(name=f"{prefix}{below}")


def _or(nothing: Walked, found: Iterator[Walked]) -> Iterator[Walked]:
    yield next(found, nothing)
    yield from found


def _check(roots: Sequence[Path]) -> None:
    for one, other in permutations(roots, 2):
        if one in other.parents:
            raise InputError(
                "one folder is inside another, so its files would be indexed twice",
                found=f"{one}, {other}",
                fix="Leave out the inner one.",
            )
    if len({root.name for root in roots}) < len(roots):
        raise InputError(
            "two folders have the same name, so their files would get the same names",
            found=", ".join(map(str, roots)),
            fix="Index them into separate corpora, or rename one.",
        )
