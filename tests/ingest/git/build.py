"""Repositories for tests, made by `git fast-import`: it writes what git's own commands refuse."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

SPRING = 1_714_521_600
"""1 May 2024."""


@dataclass(frozen=True)
class Made:
    """A commit to make."""

    message: bytes
    files: Mapping[bytes, bytes | None] = field(default_factory=dict)
    """Contents by name; None removes a file."""
    author: bytes = b"Ann <ann@example.org>"
    time: int = SPRING
    encoding: bytes = b""


def git(folder: Path, *arguments: str, stdin: bytes = b"") -> str:
    command = ["git", "-C", str(folder), "-c", "user.email=a@example.org", "-c", "user.name=A"]
    done = subprocess.run([*command, *arguments], check=True, capture_output=True, input=stdin)
    return done.stdout.decode(errors="replace").strip()


def repository(folder: Path, commits: Sequence[Made]) -> Path:
    """A repository with these commits, one after the other; existing ones go on."""
    if not (folder / ".git").exists():
        folder.mkdir(parents=True, exist_ok=True)
        git(folder, "init", "--quiet", "--initial-branch=main", ".")
    git(folder, "fast-import", "--quiet", "--force", stdin=b"".join(stream(folder, commits)))
    return folder


def stream(folder: Path, commits: Sequence[Made]) -> Iterator[bytes]:
    """What fast-import reads."""
    command = ["git", "-C", str(folder), "rev-parse", "--quiet", "--verify", "main"]
    goes_on = subprocess.run(command, check=False, capture_output=True).returncode == 0
    for number, made in enumerate(commits):
        yield b"commit refs/heads/main\n"
        yield b"committer %s %d +0000\n" % (made.author, made.time)
        if made.encoding:
            yield b"encoding %s\n" % made.encoding
        yield b"data %d\n%s\n" % (len(made.message), made.message)
        if number == 0 and goes_on:
            yield b"from refs/heads/main^0\n"
        for name, content in made.files.items():
            if content is None:
                yield b"D %s\n" % quoted(name)
            else:
                yield b"M 100644 inline %s\n" % quoted(name)
                yield b"data %d\n%s\n" % (len(content), content)


def quoted(name: bytes) -> bytes:
    """A path as fast-import reads any bytes."""
    return b'"%s"' % b"".join(b"\\%03o" % byte for byte in name)


def shas(folder: Path) -> list[str]:
    """The commits of the repository, newest first."""
    return git(folder, "rev-list", "HEAD").split()
