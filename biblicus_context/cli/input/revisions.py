"""The plans of a project as they were at a revision, by what git knows of them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from biblicus_context.errors import InputError

_SUFFIXES = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class Revision:
    """A commit of the repository that the working folder is in."""

    name: str
    """As it was typed."""
    commit: str

    def path(self, written: str) -> str:
        """A path from the root of the repository; one that begins with ./ begins here."""
        if not written.startswith(("./", "../")):
            return os.path.normpath(written)
        here = _git("rev-parse", "--show-prefix").decode().strip()
        return os.path.normpath(os.path.join(here, written))

    @contextmanager
    def checked_out(self, paths: Sequence[str]) -> Iterator[Path]:
        """The plan files under these paths as they were, in a temporary place of the same shape."""
        with TemporaryDirectory(prefix="biblicus-context-") as home:
            for file in self._files(paths):
                target = Path(home, file)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(_git("cat-file", "blob", f"{self.commit}:{file}"))
            yield Path(home)

    def _files(self, paths: Sequence[str]) -> list[str]:
        within = [] if "." in paths else ["--", *paths]
        listed = _git("ls-tree", "-r", "-z", "--name-only", "--full-tree", self.commit, *within)
        return [name for name in os.fsdecode(listed).split("\0") if name.endswith(_SUFFIXES)]


def revision(name: str) -> Revision:
    """The commit of this name."""
    commit = _git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    return Revision(name, commit.decode().strip())


def _git(command: str, *arguments: str) -> bytes:
    try:
        done = subprocess.run(["git", command, *arguments], capture_output=True, check=False)  # noqa: S603, S607 - the arguments are no options
    except FileNotFoundError:
        raise InputError("git is not installed; it is needed to read revisions") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip()
        problem = f"git {command}: {said}" if said else "git has no revision with this name"
        fix = "Write it as in HEAD~1:contexts/support.yaml."
        raise InputError(problem, found=arguments[-1].removesuffix("^{commit}"), fix=fix)
    return done.stdout
