"""A process that has a learning memory open: it starts on demand, answers hooks, and ends by itself.

To load the engine and an embedder takes two seconds, and a hook runs at each prompt. Who asks is checked by
the file system: the socket is in a folder that only this user can enter.
"""

from __future__ import annotations

import json
import os
import socket
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Awaitable, Mapping

_LONGEST_PATH: Final = 100
"""Bytes of the name of a socket; some systems allow no more than 104."""
_IDLE: Final = 600.0
"""Seconds without a question, after which it ends."""
_LONGEST_IDLE: Final = 86_400.0
_STARTS: Final = 10.0
"""Seconds that a client waits for a process that it started; it listens in a moment."""
_LONGEST_PAUSE: Final = 0.2
_ANSWERS: Final = 30.0
_LARGEST: Final = 8_000_000
"""Bytes of one message."""
IDLE: Final = "BIBLICUS_CONTEXT_RESIDENT_SECONDS"


def ask(store: Path, question: dict[str, Any], *, starts: bool = True) -> dict[str, Any] | None:
    """The answer of the process of a store, which is started if there is none; None: there is no answer.

    Nobody waits in vain: not for a process that could not start, nor for one that has no answer.
    """
    place = _socket_of(store)
    if place is None:
        return None
    end = time.monotonic() + _STARTS
    started: subprocess.Popen[bytes] | None = None
    pause = 0.02
    try:
        while True:
            try:
                return _asked(place, question)
            except OSError:  # nobody listens, or it has just ended
                status = None if started is None else started.poll()
            if not starts or status or time.monotonic() > end:
                return None
            if started is None or status == 0:  # another one was there, which may have ended since
                started = _start(store, place.parent)
            time.sleep(pause)
            pause = min(1.5 * pause, _LONGEST_PAUSE)
    finally:
        if started is not None:
            started.returncode = 0  # it outlives this process: nobody waits for it


def _asked(place: Path, question: dict[str, Any]) -> dict[str, Any] | None:
    """What it says, which may be nothing; an OSError if there is nobody to ask."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(_ANSWERS)
        line.connect(str(place))
        try:
            line.sendall(json.dumps(question).encode() + b"\n")
            said = _line_of(line)
        except TimeoutError:  # it is there, and would be as slow once more
            return None
    if not said:
        raise ConnectionResetError
    try:
        answer = json.loads(said)
    except ValueError:
        return None
    return answer if isinstance(answer, dict) else None


def _line_of(line: socket.socket) -> bytes:
    found = bytearray()
    while not found.endswith(b"\n") and len(found) < _LARGEST:
        part = line.recv(65_536)
        if not part:
            break
        found += part
    return bytes(found)


def private_folder() -> Path | None:
    """A folder that only this user can enter; None where this system has none."""
    if not hasattr(os, "getuid"):
        return None
    folder = Path(tempfile.gettempdir()) / f"biblicus-context-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        known = folder.lstat()
    except OSError:
        return None
    mine = stat.S_ISDIR(known.st_mode) and known.st_uid == os.getuid() and not known.st_mode & 0o077
    return folder if mine else None


def seconds() -> float:
    """How long a process stays after the last question; with 0 none is started."""
    try:
        return min(_LONGEST_IDLE, max(0.0, float(os.environ.get(IDLE) or _IDLE)))
    except ValueError:
        return _IDLE


def _socket_of(store: Path) -> Path | None:
    """Where the process of a store listens; None where this system or folder allows none."""
    folder = private_folder() if hasattr(socket, "AF_UNIX") else None
    if folder is None:
        return None
    from hashlib import sha256

    release = str(Path(__file__).stat().st_mtime_ns)
    embedder = os.environ.get("BIBLICUS_CONTEXT_EMBEDDER", "")
    known = [os.path.realpath(store), sys.executable, release, embedder]
    place = folder / f"{sha256(chr(0).join(known).encode()).hexdigest()[:24]}.sock"
    return place if len(os.fsencode(place)) <= _LONGEST_PATH else None


def _start(store: Path, folder: Path) -> subprocess.Popen[bytes]:
    """Start the process of a store; its folder is one where nobody else can put a module to be loaded."""
    return subprocess.Popen(  # noqa: S603 - this interpreter, and a path
        [sys.executable, "-m", "biblicus_context.cli.resident", os.path.realpath(store)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # the hook ends, and this does not
        cwd=folder,
    )


def serve(store: Path, idle: float = _IDLE) -> int:
    """Answer questions about a store until nobody asks for a while, or it is another one."""
    import fcntl

    place = _socket_of(store)
    if place is None:
        return 2
    with open(f"{place}.lock", "a", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:  # another one has just started
            return 0
        place.unlink(missing_ok=True)
        answers = Answers(store)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as door:
            door.bind(str(place))
            door.listen()
            door.settimeout(idle)
            try:
                while answers.is_there:
                    line, _ = door.accept()
                    with line:
                        _answer(line, answers)
            except TimeoutError:
                pass
            finally:
                place.unlink(missing_ok=True)
                answers.close()
    return 0


def _answer(line: socket.socket, answers: Answers) -> None:
    line.settimeout(_ANSWERS)
    try:
        question = json.loads(_line_of(line))
        answer = answers(question) if answers.is_there else None
    except Exception:  # the command answers the question itself, and tells what is wrong with it
        answer = None
    try:
        line.sendall(json.dumps(answer).encode() + b"\n")
    except OSError:  # who asked has gone
        return


class Answers:
    """What the commands print, from stores that stay open."""

    def __init__(self, store: Path) -> None:
        self._store = store
        self._folder = self._identity()
        self._opened: dict[tuple[str, ...], Any] = {}

    @property
    def is_there(self) -> bool:
        """Whether the folder is still the one that was opened."""
        return self._folder is not None and self._identity() == self._folder

    def __call__(self, question: Mapping[str, Any]) -> dict[str, Any]:
        import asyncio
        from dataclasses import asdict

        from biblicus_context.systems.learning import (  # 0.8 s: a client has not
            ContextAssembler,
            LearningStore,
        )

        workspace, also = str(question["workspace"]), [*map(str, question["also"])]
        key = (workspace, *also)
        if key not in self._opened:
            store = LearningStore.open(self._store, workspace=workspace, also=also)
            self._opened[key] = store, ContextAssembler(store.searcher())
        _, assembler = self._opened[key]
        calls = {
            "recall": assembler.assemble_context,
            "premortem": assembler.get_premortem_context,
        }
        call = calls[question["command"]](*question["arguments"], **question["options"])
        return asdict(asyncio.run(_awaited(call)))

    def close(self) -> None:
        """Close what was opened."""
        for store, _ in self._opened.values():
            store.close()

    def _identity(self) -> tuple[int, int] | None:
        try:
            known = self._store.stat()
        except OSError:
            return None
        return known.st_dev, known.st_ino


async def _awaited(answer: Awaitable[Any]) -> Any:
    return await answer


if __name__ == "__main__":
    raise SystemExit(serve(Path(sys.argv[1]), seconds()))
