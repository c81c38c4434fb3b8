"""The arguments of the commands that serve, and of those that manage keys."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from biblicus_context.cli.options.declaring import argument, option
from biblicus_context.cli.options.shared import (
    ContextName,
    FormatOption,
    PrincipalOptions,
    ProjectOptions,
)
from biblicus_context.cli.output.terminal import Format
from biblicus_context.service.scopes import KeyScope

_FOLDER = Path("keys.json")
KeysOption = Annotated[Path, option("File of the keys. Default: keys.json.", metavar="FILE")]


@dataclass(frozen=True, kw_only=True)
class ServeArguments:
    """Serve contexts and corpora over HTTP.

    Without --keys only this machine may ask, as the one reader that the reader options name. A page
    at /docs describes every path, /openapi.json does it for programs.

    Plans are read again when they change. SIGTERM answers the requests that were let in, then ends.

    Examples:
      biblicus-context serve
      biblicus-context serve --path contexts --port 8321
      biblicus-context serve --demo
      biblicus-context serve --host 0.0.0.0 --keys keys.json --settings service.yaml --workers 2
    """

    place: ProjectOptions
    host: Annotated[str, option("Address to listen on. Default: 127.0.0.1.", metavar="ADDRESS")] = (
        "127.0.0.1"
    )
    port: Annotated[
        int,
        option("Port; 0 takes a free one. Default: 8321.", metavar="N", min=0, max=65_535),
    ] = 8321
    workers: Annotated[
        int, option("Processes that answer. Default: 1.", metavar="N", min=1, max=256)
    ] = 1
    keys: Annotated[
        Path | None, option("File of the keys, as 'key create' makes it.", metavar="FILE")
    ] = None
    settings: Annotated[
        Path | None,
        option("Settings in YAML: limits, jwt, hosts, origins.", metavar="FILE"),
    ] = None
    data: Annotated[
        Path | None,
        option(
            "Folder of the stores of memory, prime, workspace and learning. Default: not served.",
            metavar="FOLDER",
        ),
    ] = None
    demo: Annotated[
        bool,
        option(
            "Serve the project of 'init' and all four systems, from a temporary folder.", "--demo"
        ),
    ] = False
    who: PrincipalOptions


@dataclass(frozen=True, kw_only=True)
class InspectArguments:
    """Look at a context in the browser: drag its budget, and see what is sent and what is left out.

    The page asks the engine again with every change. Only this machine can open it.

    Examples:
      biblicus-context inspect support
      biblicus-context inspect support --path contexts --port 8400
    """

    name: ContextName
    place: ProjectOptions
    port: Annotated[int, option("Port. Default: a free one.", metavar="N", min=0, max=65_535)] = 0
    settings: Annotated[
        Path | None, option("Settings in YAML, as 'serve' has them: prices.", metavar="FILE")
    ] = None
    who: PrincipalOptions


@dataclass(frozen=True, kw_only=True)
class KeyArguments:
    """Make, list and revoke the keys of a service.

    Examples:
      biblicus-context key create --workspace acme --as ann --scope read
      biblicus-context key list
      biblicus-context key revoke abcd1234
    """


@dataclass(frozen=True, kw_only=True)
class KeyCreateArguments:
    """Make a key and print it: this is the only time that it can be read.

    A key is for one workspace, and maybe one user of it. A running service accepts it within a second.
    A user may have several keys: make a new one, change the clients, then revoke the old one.

    Examples:
      biblicus-context key create --workspace acme --as ann
      biblicus-context key create --workspace acme --scope read --scope write --days 90
    """

    who: PrincipalOptions
    scopes: Annotated[
        list[KeyScope] | None,
        option(
            "What it allows: read, write, inspect or admin (all); may be repeated. Default: read.",
            "--scope",
            metavar="SCOPE",
        ),
    ] = None
    days: Annotated[
        float | None, option("Days until it expires. Default: never.", metavar="N", min=0.001)
    ] = None
    name: Annotated[str, option("What it is for.", metavar="TEXT")] = ""
    keys: KeysOption = _FOLDER
    output: FormatOption = Format.TEXT


@dataclass(frozen=True, kw_only=True)
class KeyListArguments:
    """List the keys: ids, whose they are, what they allow; never the keys themselves.

    Examples:
      biblicus-context key list
      biblicus-context key list --keys keys.json --format json
    """

    keys: KeysOption = _FOLDER
    output: FormatOption = Format.TEXT


@dataclass(frozen=True, kw_only=True)
class KeyRevokeArguments:
    """Revoke a key, by the id that 'key list' shows; a running service refuses it within a second.

    Examples:
      biblicus-context key revoke abcd1234
    """

    key: Annotated[str, argument("Id of the key.", metavar="ID")]
    keys: KeysOption = _FOLDER
    output: FormatOption = Format.TEXT
