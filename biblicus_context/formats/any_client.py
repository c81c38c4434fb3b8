"""A conversation as any client library has it, in the engine's own format."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Any, Final, NamedTuple

from biblicus_context.base.doors import door
from biblicus_context.errors import FormatError, InputError
from biblicus_context.formats.anthropic.reader import history_from_anthropic
from biblicus_context.formats.gemini.reader import history_from_gemini
from biblicus_context.formats.langchain import history_from_langchain
from biblicus_context.formats.openai.chat import history_from_openai
from biblicus_context.formats.openai.responses_reader import history_from_openai_responses
from biblicus_context.formats.pydantic_ai.reader import history_from_pydantic_ai


class ClientLibrary(NamedTuple):
    """Whose messages they are, by the module of their class, and what reads them."""

    module: str
    read: Callable[[Any], list[dict[str, Any]]]
    reads_mappings: bool = False
    """Whether its conversations mix objects and mappings of its own format."""


CLIENTS: Final = (
    ClientLibrary("langchain_core.messages", history_from_langchain),
    ClientLibrary("pydantic_ai.messages", history_from_pydantic_ai),
    ClientLibrary("openai.types.responses", history_from_openai_responses, reads_mappings=True),
    ClientLibrary("openai.types", history_from_openai),
    ClientLibrary("anthropic.types", history_from_anthropic, reads_mappings=True),
    ClientLibrary("google.genai.types", history_from_gemini, reads_mappings=True),
)
"""In order: the first that fits. No library is imported to recognise its messages."""


@door
def history_from_any_client(messages: Sequence[Any]) -> list[Any]:
    """A conversation with messages of client libraries; mappings among them stay as they are.

    What is of no known library stays too, so that the engine names its place.

    >>> history_from_any_client([{"role": "user", "content": "Hello."}])
    [{'role': 'user', 'content': 'Hello.'}]
    """
    clients = {each for each in map(client_of, messages) if each}
    if len(clients) == 1 and (only := clients.pop()).reads_mappings:
        return _read(only, messages, 0)
    read: list[Any] = []
    at = 0
    for client, run in groupby(messages, client_of):
        stretch = [*run]
        read += _read(client, stretch, at) if client else stretch
        at += len(stretch)
    return read


def client_of(message: object) -> ClientLibrary | None:
    """The library of a message; None for a mapping, and for what no known library has."""
    if isinstance(message, Mapping):
        return None
    modules = [each.__module__ for each in type(message).__mro__]
    return next(
        (each for each in CLIENTS if any(_is_in(name, each.module) for name in modules)), None
    )


def _is_in(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def _read(client: ClientLibrary, messages: Sequence[Any], first: int) -> list[dict[str, Any]]:
    try:
        return client.read(messages)
    except (FormatError, InputError) as error:
        place = f"the part of the history that begins at history[{first}]" if first else "history"
        raise error.within(place) from None
