"""Commits as git writes them, read within bounds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

from biblicus_context.ingest.git.process import Git, StoppedError

MOST_FILES: Final = 10_000
"""Files of one commit that are counted."""
_MOST_NAMES: Final = 1_000
"""Files of one commit that are kept by name."""
_LONGEST: Final = 64 * 1024
"""Bytes of a message that are read."""
_LONGEST_NAME: Final = 1_000
_ALONE: Final = 200
"""Commits that git is asked for one by one, to find the one that it failed at."""
_MOST_STOPS: Final = 5
"""Commits that git may fail at, before it is the repository that cannot be read."""
_FIELDS: Final = "tformat:%H%x00%an%x00%at%x00%B%x00"
_DIFF: Final = (
    *("diff-tree", "--stdin", "--root", "--always", "-r", "-z", "--no-renames", "--no-ext-diff"),
    *("--no-textconv", "--numstat", "--encoding=UTF-8", f"--pretty={_FIELDS}"),
    "--diff-merges=first-parent",  # what a pull request brought is what people ask for
)
_HEAD: Final = ("rev-list", "--max-count=1", "--encoding=UTF-8", f"--format={_FIELDS}")
"""Writes one commit without comparing trees: a few kilobytes can hold a tree of billions."""
_CHANGED: Final = re.compile(rb"\n?([0-9]{1,18}|-)\t([0-9]{1,18}|-)\t(.+)", re.DOTALL)
_BEGINNING: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(slots=True)
class LoggedCommit:
    """One commit, and the files that it changed against its first parent."""

    sha: str
    author: str
    created: datetime | None
    message: str
    files: list[str] = field(default_factory=list)
    """Their names, if they are UTF-8 and not too long."""
    changed: int = 0
    """How many files it changed."""
    insertions: int = 0
    deletions: int = 0
    is_whole: bool = True
    """Whether all of its files were read."""


def listed(git: Git, head: str, *, since: datetime | None, paths: Sequence[str]) -> list[str]:
    """The ids of the commits that lead to `head`, newest first."""
    oldest = [] if since is None else [f"--max-age={int(since.timestamp())}"]
    return [*git.lines("rev-list", *oldest, head, "--", *paths)]


def commits(git: Git, shas: Sequence[str]) -> Iterator[LoggedCommit]:
    """These commits in their order; one that git fails at has no files, or is left out."""
    done = alone = stops = 0
    while done < len(shas):
        asked = shas[done : done + 1] if alone else shas[done:]
        before = done
        try:
            for commit in _read(git.output(*_DIFF, asked=asked)):
                yield commit
                done += 1
            if done == before:
                raise StoppedError(f"git does not write the commit {shas[done]}")
            alone = max(alone - 1, 0)
        except StoppedError:
            # Git writes in portions, so it failed at this commit or at one of the next.
            if not alone:
                alone = _ALONE
                continue
            stops += 1
            if stops > _MOST_STOPS:
                raise
            yield from _without_files(git, shas[done])
            done, alone = done + 1, 0


def _without_files(git: Git, sha: str) -> Iterator[LoggedCommit]:
    try:
        for commit in _read(git.output(*_HEAD, sha)):
            commit.is_whole = False
            yield commit
    except StoppedError:
        return


def _read(output: Iterable[bytes]) -> Iterator[LoggedCommit]:
    """The commits of one run of git; one with too many files is the last."""
    fields = _fields(output)
    commit: LoggedCommit | None = None
    for each in fields:
        changed = _CHANGED.fullmatch(each)
        if changed is None:
            if commit is not None:
                yield commit
                commit = None
            if each.strip():
                commit = _commit(each, fields)
        elif commit is not None:
            if commit.changed == MOST_FILES:
                commit.is_whole = False
                break
            _count(commit, changed)
    if commit is not None:
        yield commit


def _commit(sha: bytes, fields: Iterator[bytes]) -> LoggedCommit:
    author, created, message, _ = (next(fields, b"") for _ in range(4))
    # rev-list writes the id on a line of its own first.
    return LoggedCommit(
        _text(sha.split()[-1]), _text(author), _moment(created), _text(message).strip()
    )


def _count(commit: LoggedCommit, changed: re.Match[bytes]) -> None:
    inserted, deleted, name = changed.groups()
    commit.changed += 1
    commit.insertions += 0 if inserted == b"-" else int(inserted)
    commit.deletions += 0 if deleted == b"-" else int(deleted)
    if len(commit.files) < _MOST_NAMES and len(name) <= _LONGEST_NAME:
        with suppress(UnicodeDecodeError):
            commit.files.append(name.decode("utf-8"))


def _fields(output: Iterable[bytes]) -> Iterator[bytes]:
    """What is between null characters, each cut to a bounded length."""
    rest = b""
    for data in output:
        *whole, last = data.split(b"\0")
        if whole:
            yield (rest + whole[0])[:_LONGEST]
            yield from (each[:_LONGEST] for each in whole[1:])
            rest = b""
        rest = (rest + last)[:_LONGEST]


def _text(data: bytes) -> str:
    return data.decode("utf-8", errors="replace")


def _moment(seconds: bytes) -> datetime | None:
    """None for what is not a time, or beyond the year 9999."""
    try:
        return _BEGINNING + timedelta(seconds=int(seconds))
    except (ValueError, OverflowError):
        return None
