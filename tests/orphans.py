"""Processes that tests start end with the test that started them, however that ends."""

from __future__ import annotations

import os
import subprocess
import sys
from threading import Thread


def end_with_parent() -> None:
    """End this process as soon as the standard input closes, which a killed parent closes too."""
    Thread(target=_wait_for_the_end, daemon=True).start()


def _wait_for_the_end() -> None:
    while os.read(sys.stdin.fileno(), 1):
        pass
    os._exit(1)


def outcome(process: subprocess.Popen[str]) -> tuple[str, str]:
    """What a process printed, once it has ended; its input stays open until then."""
    assert process.stdout is not None
    printed = process.stdout.read()
    errors = process.stderr.read() if process.stderr else ""
    process.wait(timeout=120)
    process.communicate()
    return printed, errors
