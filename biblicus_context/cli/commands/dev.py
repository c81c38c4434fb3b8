"""The command `dev postgres`."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Final

from biblicus_context.base.connections import VARIABLE
from biblicus_context.cli.options.developing import DevPostgresArguments
from biblicus_context.cli.output.terminal import note, write
from biblicus_context.stores.places import embedded_server

_PAUSE: Final = 2.0
"""Seconds between two looks at who is connected."""


def postgres(args: DevPostgresArguments) -> None:
    with embedded_server(args.folder.absolute()) as server, suppress(KeyboardInterrupt):
        write(f"export {VARIABLE}DEV='{server.url}'")
        note("the server runs; corpora use it with `store: connection:dev`. Ctrl-C ends it.")
        used = time.monotonic()
        while server.is_running and time.monotonic() - used <= 60 * args.idle:
            time.sleep(min(_PAUSE, 6 * args.idle + 0.1))
            if server.clients:
                used = time.monotonic()
    note(f"the server has ended; its data is in {args.folder}")
