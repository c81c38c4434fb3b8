"""What PgBouncer does in transaction mode: few connections to a server, each lent for one transaction.

Nothing is reset between two clients, so a setting or a prepared statement that outlives its transaction is met by another.
"""

from __future__ import annotations

import select
import socket
import struct
from contextlib import suppress
from pathlib import Path
from queue import Queue
from threading import Thread
from types import TracebackType
from typing import Final

_STARTUP: Final = struct.pack("!I", 196_608)


class TransactionPooler:
    """Listens in a folder, and has so many connections to the server in another one."""

    def __init__(self, folder: Path, server: Path, connections: int) -> None:
        self.folder = folder
        self.lent = 0
        """How often a connection was lent."""
        self._server = str(server / ".s.PGSQL.5432")
        self._count = connections
        self._free: Queue[socket.socket] = Queue()
        self._hello = b""
        self._socket = socket.socket(socket.AF_UNIX)

    def __enter__(self) -> TransactionPooler:
        for _ in range(self._count):
            self._free.put(self._connected())
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
        self._socket.close()
        for _ in range(self._count):
            self._free.get(timeout=60).close()

    def _connected(self) -> socket.socket:
        server = socket.socket(socket.AF_UNIX)
        server.connect(self._server)
        names = b"user\0postgres\0database\0postgres\0\0"
        server.sendall(struct.pack("!I", 8 + len(names)) + _STARTUP + names)
        answer = b""
        while not answer.endswith(b"Z\0\0\0\x05I"):
            answer += server.recv(65_536)
        self._hello = answer
        return server

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:
                return
            Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, suppress(OSError, ConnectionError):
            (size,) = struct.unpack("!I", _exactly(client, 4))
            _exactly(client, size - 4)
            client.sendall(self._hello)
            while self._transaction(client):
                pass

    def _transaction(self, client: socket.socket) -> bool:
        """One transaction of a client; False once it has gone."""
        first = _message(client)
        if first[:1] == b"X":
            return False
        server = self._free.get(timeout=60)
        self.lent += 1
        try:
            server.sendall(first)
            awaited, is_idle = int(first[:1] in (b"S", b"Q")), False
            while awaited or not is_idle:
                ready, _, _ = select.select([client, server], [], [], 60)
                if client in ready:
                    message = _message(client)
                    awaited += message[:1] in (b"S", b"Q")
                    server.sendall(message)
                if server in ready:
                    message = _message(server)
                    if message[:1] == b"Z":
                        awaited, is_idle = awaited - 1, message[5:6] == b"I"
                    client.sendall(message)
        finally:
            self._free.put(server)
        return True


def _message(stream: socket.socket) -> bytes:
    head = _exactly(stream, 5)
    return head + _exactly(stream, struct.unpack("!I", head[1:])[0] - 4)


def _exactly(stream: socket.socket, count: int) -> bytes:
    found = bytearray()
    while len(found) < count:
        some = stream.recv(count - len(found))
        if not some:
            raise ConnectionError("the other side has gone")
        found += some
    return bytes(found)
