"""Git as a process that knows the objects of a repository, and none of its settings."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from typing import IO, Final

from biblicus_context.base.temporary import temporary_folder
from biblicus_context.errors import InputError
from biblicus_context.ingest.git.repository import Repository

SECONDS: Final = 30.0
"""How long git may say nothing before it is stopped."""
_MEMORY: Final = 4 * 1024**3
"""Bytes of address space; packs are mapped into it in windows."""
_READ: Final = 256 * 1024
_CONFIG: Final = """\
[core]
	bare = true
	repositoryformatversion = 1
	bigFileThreshold = 1m
	packedGitWindowSize = 64m
	packedGitLimit = 512m
	attributesFile = {nothing}
	hooksPath = {nothing}
	fsmonitor = false
[extensions]
	objectFormat = {hash_name}
"""
"""A larger file is binary for git, so its lines are not compared."""


class StoppedError(InputError):
    """Git ended with an error, or was stopped because it said nothing for too long."""


@dataclass(frozen=True, slots=True)
class Git:
    """Runs git in a repository of our own, which is empty but sees the objects of the given one."""

    folder: Path
    objects: Path
    seconds: float

    def lines(self, *arguments: str) -> Iterator[str]:
        """The lines that a command writes."""
        rest = b""
        for data in self.output(*arguments):
            *whole, rest = (rest + data).split(b"\n")
            yield from (line.decode("ascii", errors="replace") for line in whole)

    def output(self, *arguments: str, asked: Sequence[str] = ()) -> Iterator[bytes]:
        """What a command writes, as it comes; `asked` are the lines that it reads."""
        questions = self.folder / "asked"
        questions.write_text("".join(f"{each}\n" for each in asked), encoding="ascii")
        with questions.open("rb") as stdin, self._started(arguments, stdin) as process:
            assert process.stdout is not None
            while data := self._read(process):
                yield data
            if process.wait():
                said = process.stderr.read(1000) if process.stderr else b""
                reason = " ".join(said.decode("utf-8", errors="replace").split())
                raise StoppedError(f"git {arguments[0]}: {reason or 'it was stopped'}")

    def _read(self, process: subprocess.Popen[bytes]) -> bytes:
        """Some output; nothing at the end, and if git is stopped because it takes too long."""
        assert process.stdout is not None
        limit = Timer(self.seconds, process.kill)
        limit.daemon = True
        limit.start()
        try:
            return os.read(process.stdout.fileno(), _READ)
        finally:
            limit.cancel()

    @contextmanager
    def _started(
        self, arguments: Sequence[str], stdin: IO[bytes]
    ) -> Iterator[subprocess.Popen[bytes]]:
        errors = self.folder / "errors"
        try:
            with errors.open("wb") as stderr:
                process = subprocess.Popen(  # noqa: S603 - the arguments are no options
                    ["git", "--no-pager", *arguments],  # noqa: S607 - whichever git is installed
                    stdin=stdin,
                    stdout=subprocess.PIPE,
                    stderr=stderr,
                    cwd=self.folder,
                    env=self._environment(),
                )
        except FileNotFoundError:
            fix = "Install git; it reads the history of a corpus with source: git."
            raise InputError("git is not installed", fix=fix) from None
        process.stderr = errors.open("rb")
        try:
            _limit_memory(process.pid)
            yield process
        finally:
            process.kill()
            process.wait()
            for stream in (process.stdout, process.stderr):
                if stream is not None:
                    stream.close()

    def _environment(self) -> dict[str, str]:
        """Nothing of ours but where programs are: git reads much from its environment."""
        kept = {key: os.environ[key] for key in ("PATH", "SYSTEMROOT") if key in os.environ}
        return {
            **kept,
            "GIT_DIR": str(self.folder),
            "GIT_OBJECT_DIRECTORY": str(self.objects),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_ALLOW_PROTOCOL": "none",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_LITERAL_PATHSPECS": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "LC_ALL": "C",
        }


@contextmanager
def git_for(repository: Repository) -> Iterator[Git]:
    """Git for the objects of a repository."""
    with temporary_folder() as folder:
        (folder / "refs").mkdir()
        (folder / "HEAD").write_text("ref: refs/heads/none\n", encoding="ascii")
        config = _CONFIG.format(nothing=os.devnull, hash_name=repository.hash_name)
        (folder / "config").write_text(config, encoding="ascii")
        if repository.shallow:
            (folder / "shallow").write_bytes(repository.shallow)
        yield Git(folder, repository.objects, SECONDS)


def _limit_memory(process: int) -> None:
    try:
        from resource import RLIMIT_AS, prlimit  # on Linux only
    except ImportError:
        return
    try:
        prlimit(process, RLIMIT_AS, (_MEMORY, _MEMORY))
    except OSError:  # it has ended already
        return
