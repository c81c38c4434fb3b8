"""A temporary folder is removed at its end, or by the next process if its own was killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from biblicus_context.base.temporary import temporary_folder

CHILD = (
    "import time\n"
    "from biblicus_context.base.temporary import temporary_folder\n"
    "with temporary_folder() as folder:\n"
    "    print(folder, flush=True)\n"
    "    time.sleep(60)\n"
)


@pytest.fixture(autouse=True)
def around(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def age(folder: Path) -> None:
    old = time.time() - 3600
    os.utime(folder, (old, old))


def test_it_is_removed_at_the_end(around: Path):
    with temporary_folder() as folder:
        (folder / "a").write_text("x", "utf-8")
    assert [*around.iterdir()] == []


@pytest.mark.skipif(sys.platform == "win32", reason="a file that is held cannot be removed there")
def test_what_a_killed_process_left_is_removed_and_what_a_running_one_uses_is_not(around: Path):
    with subprocess.Popen(
        [sys.executable, "-c", CHILD], stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        used = Path(child.stdout.readline().strip()).parent
        age(used)
        with temporary_folder():
            assert used.is_dir()
        child.send_signal(signal.SIGKILL)
        child.wait()
    age(used)
    with temporary_folder():
        assert not used.exists()


def test_a_folder_of_another_program_stays(around: Path):
    other = around / "biblicus-context-notes"
    other.mkdir()
    age(other)
    with temporary_folder():
        assert other.is_dir()
