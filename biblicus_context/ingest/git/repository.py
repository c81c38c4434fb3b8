"""Where a repository keeps its objects, and which commit is checked out; git itself is not asked.

Git would read the configuration of the repository, which may name programs to run and files to
include. So only the files that lead to the objects are read here, and git later sees nothing else.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from biblicus_context.base.paths import resolved
from biblicus_context.base.regular_files import IrregularFileError, open_regular
from biblicus_context.errors import InputError

_MOST_BYTES: Final = 64 * 1024 * 1024
"""Of one of these files; 500,000 refs need as much."""
_MOST_STEPS: Final = 5
"""From one symbolic ref to the next; git follows as many."""
_SHA: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REF: Final = re.compile(r"refs/[^\0\\]+")


@dataclass(frozen=True, slots=True)
class Repository:
    """The parts of a repository that its history is read from."""

    objects: Path
    head: str | None
    """The id of the commit that is checked out; None if there is no commit yet."""
    shallow: bytes
    """The commits whose parents were not fetched, as git wrote them."""

    @property
    def hash_name(self) -> str:
        """What ids are made with."""
        return "sha256" if self.head is not None and len(self.head) > 40 else "sha1"


def open_repository(root: Path) -> Repository:
    """The repository whose top folder, or whose bare folder, this is."""
    own, common = _folders(resolved(root, "root"))
    objects = common / "objects"
    if not objects.is_dir() or objects.is_symlink():
        raise InputError("this repository has no objects", found=str(root))
    if _has_links(objects):
        problem = "objects of this repository are reached by a link, which is not followed"
        fix = "Run 'git repack -a -d' in a clone of it."
        raise InputError(problem, found=str(root), fix=fix)
    for name in ("alternates", "http-alternates"):
        if (objects / "info" / name).exists():
            problem = "this repository borrows objects of another one, which are not read"
            fix = "Run 'git repack -a -d' in it and remove the file objects/info/alternates."
            raise InputError(problem, found=str(root), fix=fix)
    return Repository(objects, _head(own, common), _content(common / "shallow") or b"")


def _has_links(objects: Path) -> bool:
    """Whether packs, folders or files of objects are links: they may lead into another repository."""
    with os.scandir(objects) as found:
        entries = [*found]
    if any(each.is_symlink() for each in entries):
        return True
    for entry in entries:
        if entry.is_dir():
            with os.scandir(entry) as inner:
                if any(each.is_symlink() for each in inner):
                    return True
    return False


def _folders(root: Path) -> tuple[Path, Path]:
    """The folder of a working tree's own files, and that of what all working trees share."""
    marked = root / ".git"
    if marked.is_symlink():
        raise InputError(
            "the .git of this folder is a link, which is not followed", found=str(root)
        )
    if marked.is_dir():
        return marked, marked
    if marked.is_file():
        return _linked(root, marked)
    if (root / "HEAD").is_file() and (root / "objects").is_dir():
        return root, root
    above = next((each for each in root.parents if (each / ".git").exists()), None)
    fix = "Pass the top folder of a repository."
    if above is not None:
        fix = f"Its repository begins at {str(above)!r}: use that as the root, and `paths`."
    raise InputError("not the top folder of a git repository", found=str(root), fix=fix)


def _linked(root: Path, marked: Path) -> tuple[Path, Path]:
    """The folders of a linked working tree, if the repository that it names knows about it.

    Otherwise any folder could claim the history of any repository of this machine.
    """
    named = _text(marked).removeprefix("gitdir: ").strip()
    own = resolved(root / named, ".git")
    common = own.parent.parent
    back = _text(own / "gitdir").strip()
    if own.parent.name != "worktrees" or not back or resolved(own / back, ".git") != marked:
        problem = "the .git file of this folder leads to a repository that does not know the folder"
        fix = "Use the main folder of the repository as the root."
        raise InputError(problem, found=named or str(marked), fix=fix)
    return own, common


def _head(own: Path, common: Path) -> str | None:
    """The commit that is checked out: refs are followed, loose ones before packed ones."""
    said = _text(own / "HEAD").strip()
    for _ in range(_MOST_STEPS):
        if _SHA.fullmatch(said):
            return said
        name = said.removeprefix("ref: ").strip()
        if not _REF.fullmatch(name) or ".." in name:
            break
        if name.endswith("/.invalid"):
            fix = "Use a repository with the ref format 'files', such as a clone."
            raise InputError("this repository keeps its refs in a reftable", fix=fix)
        said = _text(common / name).strip() or _packed(common, name)
        if not said:
            return None
    raise InputError("the HEAD of this repository is not valid", found=said)


def _packed(common: Path, name: str) -> str:
    return next((sha for sha, each in _packed_refs(common) if each == name), "")


def _packed_refs(common: Path) -> Iterator[tuple[str, str]]:
    for line in _text(common / "packed-refs").splitlines():
        sha, _, name = line.partition(" ")
        yield sha, name


def _text(path: Path) -> str:
    return (_content(path) or b"").decode("utf-8", errors="replace")


def _content(path: Path) -> bytes | None:
    """The bytes of a small file without links above it; None if there is no such file."""
    try:
        with open_regular(path) as stream:
            content = stream.read(_MOST_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except (IrregularFileError, OSError, ValueError) as error:
        raise InputError(
            f"a file of this repository cannot be read: {error}", found=str(path)
        ) from None
    if len(content) > _MOST_BYTES:
        problem = f"a file of this repository is larger than {_MOST_BYTES:,} bytes"
        raise InputError(problem, found=str(path))
    return content
