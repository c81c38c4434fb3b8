"""An import that is killed leaves whole pages, and the same import finishes it."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from biblicus_context import Principal
from biblicus_context.systems.workspace import BlockStore
from biblicus_context.testing.memory_store import InMemoryStore
from tests.ingest.build import written
from tests.ingest.notion import archive_of
from tests.nightly import NIGHTLY
from tests.systems.workspace.importer import KINDS, imported

PAGES = 2_500 if NIGHTLY else 1_200
"""Three batches, or two."""
KILLS = (0, 1, 1_500) if NIGHTLY else (0, 1)
"""When so many pages are there."""
LINES = "\n\n".join(f"Line {line} says that green tea wants 80 degrees." for line in range(6))


def notes(folder: Path) -> Path:
    """Fifty folders, which are pages too."""
    return written(
        folder / "notes", {f"f{n % 50}/p{n}.md": f"# Page {n}\n\n{LINES}" for n in range(PAGES)}
    )


def export(folder: Path) -> Path:
    """Each page but the first fifty is inside another one."""
    names = [f"Page {n} {n:032x}" for n in range(PAGES)]
    files = {
        f"{names[n % 50]}/{name}.md" if n >= 50 else f"{name}.md": f"# Page {n}\n\n{LINES}"
        for n, name in enumerate(names)
    }
    return archive_of(folder / "export.zip", files)


def documents(store: BlockStore, workspace: str) -> list[str]:
    corpus = store.corpus.for_principal(Principal(workspace, sees_all=True))
    return [each.id for each in corpus.documents()]


def count(store: BlockStore, workspace: str) -> int:
    return len(documents(store, workspace))


def has(store: BlockStore, workspace: str, pages: int) -> bool:
    return count(store, workspace) >= pages


def known(store: BlockStore, workspace: str) -> dict[str, tuple[str, str | None, str]]:
    """What a page says, where it is, and its title: the times of a second import differ."""
    corpus = store.corpus.for_principal(Principal(workspace, sees_all=True))
    found = corpus.get(documents(store, workspace))
    return {each.id: (each.text, each.parent, each.title) for each in found}


@pytest.mark.no_cover  # thousands of pages, eight times over
@pytest.mark.parametrize("kind", KINDS)
def test_what_was_acknowledged_is_there_and_a_second_import_finishes(kind: str, tmp_path: Path):
    place = notes(tmp_path) if kind == "markdown" else export(tmp_path)
    undisturbed = BlockStore.open(InMemoryStore(), embedder=None)
    assert asyncio.run(imported(undisturbed, kind, str(place))) >= PAGES
    whole = known(undisturbed, kind)
    seen: list[int] = []
    for pages in KILLS:
        folder = tmp_path / f"store{pages}"
        store = BlockStore.open(folder, embedder=None)
        said = killed(folder, kind, place, partial(has, store, kind, pages))
        there = known(store, kind)
        assert store.corpus.store.check() == ()
        assert there.items() <= whole.items()
        assert said[-1].startswith("put") or len(there) == len(whole)
        assert count(store, "first") == 3
        assert asyncio.run(imported(store, kind, str(place))) == len(whole)
        assert known(store, kind) == whole
        store.close()
        seen.append(len(there))
    assert any(pages < len(whole) for pages in seen), seen  # at least one was killed before its end


def killed(folder: Path, kind: str, place: Path, is_time: Callable[[], bool]) -> list[str]:
    """Kill a program that imports; what it said."""
    program = [sys.executable, "-m", "tests.systems.workspace.importer"]
    with subprocess.Popen(
        [*program, str(folder), kind, str(place)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        said = [process.stdout.readline() for _ in range(3)]
        while not is_time():
            time.sleep(0.01)
        process.kill()
        return [*said, *process.stdout]
