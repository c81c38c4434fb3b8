"""A served folder as a process of its own, and what it costs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.request import urlopen

_TICKS: Final = os.sysconf("SC_CLK_TCK")
"""Ticks of a second in `/proc`."""
_SECONDS: Final = 120


class ServedProcess:
    """A server, with the processor time and the memory of all its processes (Linux)."""

    def __init__(self, process: subprocess.Popen[bytes], address: str) -> None:
        self._process = process
        host, _, port = address.removeprefix("http://").rpartition(":")
        self.host, self.port = host, int(port)

    @property
    def processor(self) -> float:
        """Seconds."""
        return sum(map(_processor, self._processes))

    @property
    def memory(self) -> float:
        """Megabytes that are resident."""
        return sum(map(_resident, self._processes))

    @property
    def _processes(self) -> list[int]:
        own = self._process.pid
        workers = Path(f"/proc/{own}/task/{own}/children").read_text("utf-8").split()
        return [own, *map(int, workers)]


def _processor(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _resident(process: int) -> float:
    status = Path(f"/proc/{process}/status").read_text("utf-8")
    return int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) / 1024


@contextmanager
def served(place: Path, *arguments: str) -> Iterator[ServedProcess]:
    """The plans in `contexts` of a folder, served until the block ends."""
    log = place / "log.txt"
    command = [sys.executable, "-m", "biblicus_context", "serve", "--port", "0"]
    with log.open("wb") as errors:
        process = subprocess.Popen(
            [*command, "--path", str(place / "contexts"), *arguments], stderr=errors
        )
    try:
        until = time.monotonic() + _SECONDS
        while not (found := re.search(r"listening on (\S+)", log.read_text("utf-8"))):
            _require(process, log, until)
        while not _answers(found[1]):
            _require(process, log, until)
        yield ServedProcess(process, found[1])
    finally:
        process.terminate()
        process.wait()


def _require(process: subprocess.Popen[bytes], log: Path, until: float) -> None:
    if process.poll() is not None or time.monotonic() > until:
        raise RuntimeError(f"the server did not start: {log.read_text('utf-8')[-2_000:]}")
    time.sleep(0.05)


def _answers(address: str) -> bool:
    try:
        with urlopen(f"{address}/healthz", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False
