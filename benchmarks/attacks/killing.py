"""Kills a process at its work."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from multiprocessing import get_context


def kill(work: Callable[..., None], *arguments: object, seconds: float) -> bool:
    """Do some work in a process and kill it after this time; whether it was still at work."""
    process = get_context("fork").Process(target=work, args=arguments)
    process.start()
    process.join(seconds)
    at_work = process.is_alive()
    assert process.pid is not None
    if at_work:
        os.kill(process.pid, signal.SIGKILL)
    process.join()
    return at_work
