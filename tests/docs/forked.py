"""Runs `biblicus-context` as a fork of one process that has loaded it, which saves most of a second a command.

`python -m tests.docs.forked SOCKET` loads the program once and then waits. A command is a small client on the
PATH: it passes its arguments, folder, environment and files over the socket, and exits with the status of the fork.
What a new process is like from its very start is tested in `tests/cli/test_main.py`.
"""

from __future__ import annotations

import atexit
import io
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from biblicus_context.cli.app import COMMANDS
from biblicus_context.cli.main import main
from biblicus_context.text.templates.template import compile_template

ROOT: Final = Path(__file__).resolve().parents[2]
NAMES: Final = ("biblicus-context", "bctx", "python")
CLIENT: Final = """\
#!{python} -IS
import json, os, socket, sys
if os.path.basename(sys.argv[0]) == "python":
    if sys.argv[1:3] != ["-m", "biblicus_context"]:
        os.execv({python!r}, [{python!r}, *sys.argv[1:]])
    del sys.argv[1:3]
asked = json.dumps({{"arguments": sys.argv, "folder": os.getcwd(), "environment": dict(os.environ)}}).encode()
with socket.socket(socket.AF_UNIX) as door:
    door.connect({place!r})
    socket.send_fds(door, [len(asked).to_bytes(4, "big")], [0, 1, 2])
    door.sendall(asked)
    status = door.recv(1)
sys.exit(status[0] if status else "the command ended without a status")
"""


@cache
def commands() -> Path:
    """A folder for the PATH with the commands; the process behind them ends with this one."""
    folder = Path(tempfile.mkdtemp(prefix="bctx-"))
    place = str(folder / "door")
    for name in NAMES:
        client = folder / name
        client.write_text(CLIENT.format(python=sys.executable, place=place), encoding="utf-8")
        client.chmod(0o755)
    command = [sys.executable, "-m", "tests.docs.forked", place]
    server = subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, "PYTHONUTF8": "1", "OPENBLAS_NUM_THREADS": "1"},
        stdin=subprocess.PIPE,  # closed when this process ends, however it does
        stdout=subprocess.PIPE,
    )
    assert server.stdout is not None
    assert server.stdout.readline() == b"ready\n"

    def end() -> None:
        server.communicate()
        for name in (*NAMES, "door"):
            (folder / name).unlink(missing_ok=True)
        folder.rmdir()

    atexit.register(end)
    return folder


def serve(place: str) -> None:
    """Fork for each command until the standard input closes."""
    _load()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those that answer
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(place)
        door.listen(64)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        while True:
            ready, _, _ = select.select([door, sys.stdin.fileno()], [], [])
            if sys.stdin.fileno() in ready:
                return
            client, _ = door.accept()
            with client:
                if os.fork() == 0:
                    door.close()
                    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                    _answer(client)


def _load() -> None:
    """What most commands load; no thread runs and no file is open afterwards."""
    for place in COMMANDS.values():
        import_module(f"biblicus_context.cli.options.{place.arguments.partition(':')[0]}")
        if place.function is not None and place.heading != "Serve":
            import_module(f"biblicus_context.cli.commands.{place.function.partition(':')[0]}")
    compile_template("{{ 1 }}")  # loads Jinja2


def _answer(client: socket.socket) -> None:
    """Run the command in another fork, and send its status, whatever ends it."""
    start, files, _, _ = socket.recv_fds(client, 4, 3)
    size = int.from_bytes(start, "big")
    with client.makefile("rb") as lines:
        asked = json.loads(lines.read(size))
    running = os.fork()
    if running == 0:
        client.close()
        _run(asked, files)
    _, ended = os.waitpid(running, 0)
    status = os.waitstatus_to_exitcode(ended)
    client.sendall(bytes([status if status >= 0 else 128 - status]))
    os._exit(0)


def _run(asked: dict[str, Any], files: list[int]) -> None:
    status = 70
    try:
        for target, file in enumerate(files):
            os.dup2(file, target)
        os.environ.clear()
        os.environ.update(asked["environment"])
        os.chdir(asked["folder"])
        sys.argv = asked["arguments"]
        sys.stdin, sys.stdout, sys.stderr = (
            io.TextIOWrapper(io.FileIO(number, mode, closefd=False), encoding="utf-8", **more)
            for number, mode, more in (
                (0, "r", {}),
                (1, "w", {}),
                (2, "w", {"errors": "backslashreplace", "line_buffering": True}),
            )
        )
        status = main()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(status)


if __name__ == "__main__":
    serve(sys.argv[1])
