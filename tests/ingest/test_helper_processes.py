"""A helper ends with the process it helps, however that ends, and is heard of by nobody."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from biblicus_context.stores.sqlite import open_store
from tests.ingest.build import known, written
from tests.ingest.pdfs import pdf_of_packed

ROOT = Path(__file__).parents[2]
FILES = {f"{n:02}.md": f"# Part {n}\n\n" + f"words of {n} " * 500 for n in range(60)}
PATIENCE = 5
LONG = {f"{n}.md": "# Part\n\nwords and more of it\n\n" * 60_000 for n in range(12)}

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc")


@contextmanager
def started(*arguments: object, **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "tests.ingest.helped_child", *map(str, arguments)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, cwd=ROOT, **pipes, **options) as process:
        try:
            yield process
        finally:
            process.kill()


def said(process: subprocess.Popen[bytes], what: str) -> int:
    assert process.stdout is not None
    for line in process.stdout:
        if what in (found := json.loads(line)):
            return int(found[what])
    raise AssertionError(f"it never said {what}")


def is_running(number: int) -> bool:
    try:
        state = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def ends(number: int) -> bool:
    return comes(lambda: not is_running(number))


def comes(condition: Callable[[], bool]) -> bool:
    patience = time.monotonic() + PATIENCE
    while not condition() and time.monotonic() < patience:
        time.sleep(0.01)
    return condition()


def test_a_killed_ingest_leaves_no_helper(tmp_path: Path):
    folder = written(tmp_path / "files", FILES)
    with started(tmp_path / "store", folder) as process:
        helper = said(process, "helper")
        while said(process, "files") < 3:
            pass
        assert is_running(helper)
    assert ends(helper)


def test_a_helper_in_the_middle_of_a_file_ends_with_what_it_started(tmp_path: Path):
    slow = pdf_of_packed(zlib.compress(b"(words) Tj " * 1_000_000))  # a minute
    folder = written(tmp_path / "files", {"0.md": "a", "1.md": "b", "2.pdf": slow})
    with started(tmp_path / "store", folder) as process:
        helper = said(process, "helper")
        assert comes(lambda: bool(children(helper)))
        (reader,) = children(helper)
        time.sleep(1)  # until it has all of the file
        assert is_running(reader)
    assert ends(helper)
    assert ends(reader)


def children(number: int) -> list[int]:
    listed = Path(f"/proc/{number}/task").glob("*/children")
    return [int(child) for each in listed for child in each.read_text().split()]


def test_an_interrupt_at_the_terminal_is_told_once_and_leaves_no_helper(tmp_path: Path):
    folder = written(tmp_path / "files", LONG)
    options = {"stderr": subprocess.PIPE, "start_new_session": True}
    with started(tmp_path / "store", folder, "--interrupted", **options) as process:
        helper = said(process, "helper")
        while said(process, "files") < 3:
            pass
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGINT
    assert errors.decode().count("Traceback") == 1
    assert ends(helper)


def test_it_works_where_all_standard_streams_are_closed(tmp_path: Path):
    folder = written(tmp_path / "files", FILES)
    with started(tmp_path / "store", folder, "--closed") as process:
        helper = said(process, "helper")
        assert said(process, "answered") > 50
        assert said(process, "added") == len(FILES)
        process.wait(timeout=60)
    assert process.returncode == 0
    assert ends(helper)
    with open_store(tmp_path / "store") as store:
        assert known(store) == sorted(FILES)
        assert not store.check()
