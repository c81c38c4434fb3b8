"""The plans of a project as they were at a revision, by what git knows of them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from biblicus_context.base.doors import door
from biblicus_context.base.paths import path_of
from biblicus_context.base.temporary import temporary_folder
from biblicus_context.errors import InputError
from biblicus_context.reading.text_files import named_text_files
from biblicus_context.reading.yaml.decoding import MAX_BYTES

_SUFFIXES = (".yaml", ".yml")
_REGULAR = ("100644", "100755")
_MOST_FILES = 10_000
_NOT_IN_A_PATH = ("", ".", "..")
_QUIET = {"GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
"""Reading a commit neither fetches, nor writes, nor asks."""


@dataclass(frozen=True, slots=True)
class _File:
    """A file in a commit's tree. The name may be anything: clone and fetch let `..` through."""

    name: str
    mode: str
    blob: str
    size: str
    """A number, or a dash for what is not a file."""

    def checked(self, commit: str) -> PurePosixPath:
        """The path below the root of the repository; InputError if it leads elsewhere."""
        problem = None
        if any(part in _NOT_IN_A_PATH for part in self.name.split("/")) or "\\" in self.name:
            problem = "a file of this commit has a name that leads out of its folder"
        elif int(self.size) > MAX_BYTES:
            problem = f"a file of this commit is larger than {MAX_BYTES:,} bytes"
        if problem:
            raise InputError(problem, place=commit, found=self.name, fix=_NOT_READ)
        return PurePosixPath(self.name)


_NOT_READ = "Nothing of it was read; compare with another revision."


@dataclass(frozen=True, slots=True)
class Revision:
    """A commit of the repository that the working folder is in."""

    name: str
    """As it was typed."""
    commit: str
    folder: Path
    """Where git is asked; relative paths begin here."""

    @property
    def top(self) -> Path:
        """The root of the repository's files."""
        return Path(os.fsdecode(self._git("rev-parse", "--show-toplevel")).rstrip("\n"))

    def path(self, written: str) -> str:
        """A path from the root of the repository; one that begins with ./ begins here."""
        path = written
        if written.startswith(("./", "../")):
            here = self._git("rev-parse", "--show-prefix").decode().strip()
            path = os.path.join(here, written)
        path = os.path.normpath(path)
        if os.path.isabs(path) or path.split(os.sep)[0] == os.pardir:
            fix = "Write it from the root of the repository, or from here with ./"
            raise InputError("this path is outside the repository", found=written, fix=fix)
        return path

    @contextmanager
    def checked_out(self, paths: Sequence[str]) -> Iterator[Path]:
        """The plan files under these paths as they were, in a temporary place of the same shape."""
        with temporary_folder() as root:
            # The root of the repository, so that plans may take texts from all of it.
            (root / ".git").mkdir()
            texts: set[str] = set()
            for path, blob in self._files(paths, _is_plan):
                content = self._git("cat-file", "blob", blob)
                self._write(root, path, content)
                texts |= {*_texts_of(path, content)}
            for path, blob in self._files(sorted(texts), texts.__contains__) if texts else ():
                if not (root / path).exists():
                    self._write(root, path, self._git("cat-file", "blob", blob))
            yield root

    def _write(self, root: Path, path: PurePosixPath, content: bytes) -> None:
        """Write a file that must not exist yet, in a folder that must be below `root`."""
        target = root / path
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.parent.resolve().is_relative_to(root):
                raise FileExistsError
            with target.open("xb") as stream:
                stream.write(content)
        except (FileExistsError, NotADirectoryError):
            problem = "two entries of this commit have one name"
            raise InputError(problem, place=self.name, found=str(path), fix=_NOT_READ) from None
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            problem = f"a file of this commit cannot be written: {reason}"
            raise InputError(problem, place=self.name, found=str(path)) from None

    def _files(
        self, paths: Sequence[str], is_wanted: Callable[[str], bool]
    ) -> list[tuple[PurePosixPath, str]]:
        """The files under these paths that are wanted; links and other repositories are not followed."""
        within = [] if "." in paths else ["--", *paths]
        listed = self._git("ls-tree", "-r", "-z", "-l", "--full-tree", self.commit, *within)
        entries = (_entry(each) for each in os.fsdecode(listed).split("\0") if each)
        files = [each for each in entries if is_wanted(each.name)]
        if len(files) > _MOST_FILES:
            problem = f"this commit has more than {_MOST_FILES:,} plans or texts here"
            raise InputError(problem, place=self.name, fix="Pass --path.")
        return [(each.checked(self.name), each.blob) for each in files if each.mode in _REGULAR]

    def _git(self, *command: str) -> bytes:
        return _git(self.folder, *command)


def _is_plan(name: str) -> bool:
    return name.lower().endswith(_SUFFIXES)


def _texts_of(plan: PurePosixPath, content: bytes) -> Iterator[str]:
    """The files that a plan takes texts from, as paths from the root of the repository."""
    for named in named_text_files(str(plan), content):
        path = os.path.normpath(named)
        if not os.path.isabs(path) and path.split(os.sep)[0] != os.pardir:
            yield path.replace(os.sep, "/")


def _entry(line: str) -> _File:
    about, _, name = line.partition("\t")
    mode, _, blob, size = about.split()
    return _File(name, mode, blob, size)


@door
def revision(name: str, folder: str | Path = ".") -> Revision:
    """The commit of this name in the repository that a folder is in."""
    at, asked = path_of(folder, "folder"), f"{name}^{{commit}}"
    commit = _git(at, "rev-parse", "--verify", "--quiet", "--end-of-options", asked)
    return Revision(name, commit.decode().strip(), at)


def _git(folder: Path, command: str, *arguments: str) -> bytes:
    try:
        done = subprocess.run(  # noqa: S603 - the arguments are no options
            ["git", "--literal-pathspecs", command, *arguments],  # noqa: S607 - whichever git is installed
            capture_output=True,
            check=False,
            cwd=folder,
            env={**os.environ, **_QUIET},
            stdin=subprocess.DEVNULL,
        )
    except FileNotFoundError:
        if not folder.is_dir():
            raise InputError("there is no such folder", place="folder", found=folder) from None
        raise InputError("git is not installed; it is needed to read revisions") from None
    except OSError as error:  # a name of a megabyte
        problem = f"git cannot be asked: {error.strerror}"
        raise InputError(problem, found=arguments[-1][:80]) from None
    except ValueError:
        problem = "the name of a revision or a file contains a null character"
        raise InputError(problem, found=arguments[-1]) from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip()
        problem = f"git {command}: {said}" if said else "git has no revision with this name"
        fix = "Write it as in HEAD~1:contexts/support.yaml."
        raise InputError(problem, found=arguments[-1].removesuffix("^{commit}"), fix=fix)
    return done.stdout
