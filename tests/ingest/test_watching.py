"""Watching runs again after changes that have settled, until it is told to stop."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from biblicus_context.errors import InputError
from biblicus_context.ingest import WalkSettings, watch
from tests.ingest.build import written


class Watched:
    """A watch in a thread, and what its runs saw."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.runs: list[list[str]] = []
        self.stop = threading.Event()

    def run(self) -> None:
        self.runs.append(sorted(each.name for each in self.root.rglob("*.md")))

    def wait(self, holds: Callable[[], bool]) -> None:
        for _ in range(1_000):
            if holds():
                return
            time.sleep(0.01)
        raise AssertionError(self.runs)


@contextmanager
def watching(root: Path, *, quiet: float = 0.02) -> Iterator[Watched]:
    watched = Watched(root)
    settings = WalkSettings(include=("*.md",))
    thread = threading.Thread(
        target=watch,
        args=(watched.run, [root]),
        kwargs={"stop": watched.stop, "settings": settings, "interval": 0.01, "quiet": quiet},
    )
    thread.start()
    try:
        yield watched
    finally:
        watched.stop.set()
        thread.join(10)
        assert not thread.is_alive()


def test_it_runs_at_once_and_after_every_kind_of_change(tmp_path: Path):
    root = written(tmp_path / "files", {"a.md": "one"})
    with watching(root) as watched:
        watched.wait(lambda: watched.runs == [["a.md"]])
        written(root, {"sub/b.md": "two"})
        watched.wait(lambda: watched.runs[-1] == ["a.md", "b.md"])
        runs = len(watched.runs)
        written(root, {"a.md": "other words"})
        watched.wait(lambda: len(watched.runs) > runs)
        (root / "a.md").unlink()
        watched.wait(lambda: watched.runs[-1] == ["b.md"])


def test_it_notices_a_change_that_keeps_time_and_size(tmp_path: Path):
    root = written(tmp_path / "files", {"a.md": "one"})
    before = (root / "a.md").stat()
    with watching(root) as watched:
        watched.wait(lambda: len(watched.runs) == 1)
        written(root, {"a.md": "two"})
        os.utime(root / "a.md", ns=(before.st_atime_ns, before.st_mtime_ns))
        watched.wait(lambda: len(watched.runs) > 1)


def test_it_does_not_run_where_nothing_that_counts_changes(tmp_path: Path):
    root = written(tmp_path / "files", {"a.md": "one"})
    with watching(root) as watched:
        watched.wait(lambda: len(watched.runs) == 1)
        written(root, {"other.txt": "words", ".hidden.md": "words"})
        time.sleep(0.3)
        assert len(watched.runs) == 1


def test_it_waits_until_changes_have_settled(tmp_path: Path):
    root = written(tmp_path / "files", {"a.md": "one"})
    with watching(root, quiet=0.5) as watched:
        watched.wait(lambda: len(watched.runs) == 1)
        for n in range(8):
            written(root, {f"{n}.md": "words"})
            time.sleep(0.05)
        watched.wait(lambda: len(watched.runs) > 1)
        assert len(watched.runs[1]) == 9


def test_a_root_may_go_and_come_back(tmp_path: Path):
    root = written(tmp_path / "files", {"a.md": "one"})
    with watching(root) as watched:
        watched.wait(lambda: len(watched.runs) == 1)
        root.rename(tmp_path / "away")
        time.sleep(0.2)
        assert len(watched.runs) == 1, "nothing is run while it is away"
        written(tmp_path / "away", {"b.md": "two"})
        (tmp_path / "away").rename(root)
        watched.wait(lambda: watched.runs[-1] == ["a.md", "b.md"])


def test_it_may_begin_before_there_is_anything(tmp_path: Path):
    root = tmp_path / "files"
    with watching(root) as watched:
        time.sleep(0.1)
        assert watched.runs == []
        written(root, {"a.md": "one"})
        watched.wait(lambda: watched.runs == [["a.md"]])


def test_a_root_that_goes_while_it_is_read_is_waited_for(tmp_path: Path):
    root, stop, runs = written(tmp_path / "files", {"a.md": "one"}), threading.Event(), []

    def run() -> None:
        runs.append(1)
        if len(runs) == 1:
            root.rename(tmp_path / "away")
            raise InputError("no such file or folder")
        stop.set()

    threading.Timer(0.2, lambda: (tmp_path / "away").rename(root)).start()
    watch(run, [root], stop=stop, interval=0.01, quiet=0.01)
    assert len(runs) == 2


@pytest.mark.parametrize("error", [InputError("too many"), OSError("full")])
def test_an_error_of_a_run_ends_it(tmp_path: Path, error: Exception):
    def run() -> None:
        raise error

    with pytest.raises(type(error)):
        watch(run, [written(tmp_path, {"a.md": "one"})], stop=threading.Event())


def test_what_fails_once_it_went_well_is_told_and_tried_again(tmp_path: Path):
    root, stop, runs, told = written(tmp_path, {"a.md": "one"}), threading.Event(), [], []

    def run() -> None:
        runs.append(1)
        written(root, {f"{len(runs)}.md": "more"})
        if len(runs) in (2, 3):
            raise InputError("no space is left")
        if len(runs) == 4:
            stop.set()

    watch(run, [root], stop=stop, interval=0.01, quiet=0.01, on_error=told.append)
    assert len(runs) == 4
    assert [str(each) for each in told] == ["no space is left"] * 2


def test_settings_that_cannot_be_meant_end_it(tmp_path: Path):
    with pytest.raises(InputError, match=r"not a \.gitignore pattern"):
        watch(list, [tmp_path], stop=threading.Event(), settings=WalkSettings(exclude=("!",)))


def test_it_stops_without_running_if_told_before(tmp_path: Path):
    stop = threading.Event()
    stop.set()
    watch(lambda: pytest.fail("it ran"), [tmp_path], stop=stop)
