"""Servers that a plan names: by a URL without a password, or by the name of a connection.

The URL of a connection, which may hold a password, is in an environment variable of its own: a plan
may choose among the connections that were made for plans, and reads no other secret.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any, Final

from biblicus_context.errors import PlanError, UnknownNameError

VARIABLE: Final = "BIBLICUS_CONTEXT_CONNECTION_"
"""Environment variables that start so hold the URLs of connections."""
_NAMED: Final = re.compile(r"connection:([A-Za-z][A-Za-z0-9_-]*)")
_WITHHELD: Final = "[^@]*:[^@]*@|.*[?&]([Pp]assword|api_key)="
_PASSWORD: Final = re.compile(f"://({_WITHHELD})")


def is_connection(text: str) -> bool:
    """Whether a text names a server, and not a folder.

    >>> is_connection("redis://localhost"), is_connection("connection:cache"), is_connection("../kb")
    (True, True, False)
    """
    return "://" in text or text.startswith("connection:")


def connection_problem(text: str, schemes: Sequence[str]) -> str | None:
    """Why a plan may not name a server so; the text itself is not repeated, as it may hold a password.

    >>> connection_problem("redis://localhost:6379/0", ["redis"])
    >>> connection_problem("http://localhost", ["redis"])
    'a URL that starts with redis://, or connection:NAME, is expected'
    """
    if _NAMED.fullmatch(text):
        return None
    if not text.startswith(tuple(f"{each}://" for each in schemes)):
        known = " or ".join(f"{each}://" for each in schemes)
        return f"a URL that starts with {known}, or connection:NAME, is expected"
    if _PASSWORD.search(text):
        return (
            "a plan holds no passwords: write connection:NAME, and put the URL into the environment "
            f"variable {VARIABLE}NAME"
        )
    return None


def connection_schema(schemes: Sequence[str], message: str) -> dict[str, Any]:
    """The JSON Schema of a text that names a server; a wrong one is not repeated."""
    pattern = f"^(connection:[A-Za-z][A-Za-z0-9_-]*|({'|'.join(schemes)})://(?!{_WITHHELD}).*)$"
    return {"pattern": pattern, "patternErrorMessage": message, "writeOnly": True}


def connection_url(text: str, schemes: Sequence[str], *, place: str) -> str:
    """The URL of a server that a plan names."""
    problem = connection_problem(text, schemes)
    if problem is not None:
        raise PlanError(problem, place=place)
    named = _NAMED.fullmatch(text)
    if named is None:
        return text
    url = os.environ.get(_variable(named[1]))
    if url is None:
        raise UnknownNameError("Connection", named[1], connection_names())
    if not url.startswith(tuple(f"{each}://" for each in schemes)):
        known = " or ".join(f"{each}://" for each in schemes)
        problem = f"the URL in {_variable(named[1])} does not start with {known}"
        raise PlanError(problem, place=place)
    return url


def connection_names() -> list[str]:
    """The connections of this environment."""
    found = [each for each in os.environ if each.startswith(VARIABLE)]
    return sorted(each.removeprefix(VARIABLE).lower() for each in found)


def _variable(name: str) -> str:
    return VARIABLE + name.replace("-", "_").upper()
