"""The files of several roots, with names that tell them apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from pathlib import Path

from biblicus_context.errors import InputError
from biblicus_context.ingest.walking import ROOT, Walked, WalkSettings, check_root, walk


def walked(roots: Sequence[Path], settings: WalkSettings) -> Iterator[Walked]:
    """What is below each root; with several, a name begins with that of its root."""
    if not roots:
        raise InputError("there is nothing to read", fix="Name a folder or a file.")
    for root in roots:
        check_root(root)
    real = [root.resolve() for root in roots]
    _check(real)
    for root in real:
        prefix = f"{root.name}/" if len(real) > 1 and root.is_dir() else ""
        for each in walk(root, settings):
            below = "" if prefix and each.name == ROOT else each.name
            yield each._replace(name=f"{prefix}{below}")


def _check(roots: Sequence[Path]) -> None:
    for one, other in permutations(roots, 2):
        if one in other.parents:
            raise InputError(
                "one of these folders is inside another, so its files would be read twice",
                found=f"{one}, {other}",
                fix="Leave out the inner one.",
            )
    if len({root.name for root in roots}) < len(roots):
        raise InputError(
            "two of these have the same name, so their files could not be told apart",
            found=", ".join(map(str, roots)),
            fix="Index them into corpora of their own, or rename one.",
        )
