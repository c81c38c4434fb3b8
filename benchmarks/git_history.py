"""How fast the history of a repository becomes searchable, and how fast an unchanged one is left alone.

The repository is made by `git fast-import` from a fixed seed: messages of one to five sentences of
documentation strings, and three small changes of files in each commit.
"""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.ingest import processor_seconds
from benchmarks.sentences import sentences
from benchmarks.targets import Target
from biblicus_context.embedders import WordLlamaEmbedder
from biblicus_context.ingest.git import ingest_history
from biblicus_context.stores import Principal
from biblicus_context.stores.sqlite import open_store
from biblicus_context.text.counters import default_counter

WHO = Principal("benchmark", sees_all=True)
BEGAN = 1_500_000_000
FOLDERS, FILES, CHANGED = 40, 25, 3


def indexing_commits(commits: int, *, a_second: float | None) -> Iterator[Target]:
    """A first ingest, one of the unchanged history, and one of ten new commits."""
    counter, embedder = default_counter(), WordLlamaEmbedder()
    counter.count("ready")
    embedder.embed(["ready"])
    with TemporaryDirectory() as folder, open_store(Path(folder) / "store") as store:
        root = made(Path(folder) / "repository", commits)
        cpu = processor_seconds()
        first = ingest_history(store, WHO, root, counter=counter, embedder=embedder)
        cpu = processor_seconds() - cpu
        again = ingest_history(store, WHO, root, counter=counter, embedder=embedder)
        made(root, 10, first_number=commits)
        few = ingest_history(store, WHO, root, counter=counter, embedder=embedder)
    assert (len(first.added), again.unchanged, len(few.added)) == (commits, commits, 10)
    name = f"git history of {commits:,} commits"
    yield Target(f"{name}, on the clock", commits / first.seconds, "commits/s", at_least=a_second)
    yield Target(f"{name}, by one core kept busy", commits / cpu, "commits/s")
    yield Target(f"{name}, unchanged", 1e3 * again.seconds, "ms")
    yield Target(f"{name}, ten new commits", 1e3 * few.seconds, "ms")


def made(folder: Path, commits: int, first_number: int = 0) -> Path:
    """A repository with this many commits, or with this many more."""
    if not first_number:
        subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    command = ["git", "-C", str(folder), "fast-import", "--quiet", "--force"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        for number in range(first_number, first_number + commits):
            process.stdin.write(_commit(number, goes_on=number == first_number > 0))
    reset = ["git", "-C", str(folder), "symbolic-ref", "HEAD", "refs/heads/main"]
    subprocess.run(reset, check=True)
    return folder


_SENTENCES = sentences()


def _commit(number: int, *, goes_on: bool) -> bytes:
    dice = random.Random(number)
    message = "\n\n".join(dice.choices(_SENTENCES, k=dice.randint(1, 5)))
    parts = [
        "commit refs/heads/main",
        f"committer Ann <ann@example.org> {BEGAN + 60 * number} +0000",
        f"data {len(message.encode())}\n{message}",
        *(["from refs/heads/main^0"] if goes_on else []),
    ]
    for _ in range(CHANGED):
        text = "\n".join(dice.choices(_SENTENCES, k=8))
        name = f"part{dice.randrange(FOLDERS)}/file{dice.randrange(FILES)}.py"
        parts += [f"M 100644 inline {name}", f"data {len(text.encode())}\n{text}"]
    return ("\n".join(parts) + "\n").encode()


def quick_git() -> Iterator[Target]:
    """So few commits that starting git weighs; no bound on the clock."""
    yield from indexing_commits(500, a_second=None)


def full_git() -> Iterator[Target]:
    """Twenty thousand commits, as the project states it."""
    yield from indexing_commits(20_000, a_second=1_000)
