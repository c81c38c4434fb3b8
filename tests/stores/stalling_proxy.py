"""A network between a program and a server that a test can stop, cut, or let lose an answer."""

from __future__ import annotations

import socket
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from types import TracebackType
from typing import Final

_COMMITTED: Final = b"COMMIT\0"
"""In the answer to a commit."""


class StallingProxy:
    """Listens in a folder as the server does in another one."""

    def __init__(self, folder: Path, server: Path) -> None:
        self.folder = folder
        self._server = str(server / ".s.PGSQL.5432")
        self._flows = Event()
        self._flows.set()
        self.loses_commit = False
        """Whether the next answer to a commit is lost, with its connection."""
        self._socket = socket.socket(socket.AF_UNIX)
        self._open: list[socket.socket] = []

    def stall(self) -> None:
        """Pass nothing on, and say nothing."""
        self._flows.clear()

    def flow(self) -> None:
        """Pass on again."""
        self._flows.set()

    def cut(self) -> None:
        """End all connections."""
        for each in self._open:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        self._open.clear()

    def __enter__(self) -> StallingProxy:
        self._socket.bind(str(self.folder / ".s.PGSQL.5432"))
        self._socket.listen()
        Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.flow()
        self.cut()
        self._socket.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            try:
                server.connect(self._server)
            except OSError:
                client.close()
                continue
            self._open += [client, server]
            for source, target in ((client, server), (server, client)):
                Thread(target=self._pass, args=(source, target), daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                self._flows.wait()
                if self.loses_commit and _COMMITTED in data:
                    self.loses_commit = False
                    break
                target.sendall(data)
        for each in (source, target):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
