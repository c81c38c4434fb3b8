"""How options and arguments are declared: a help text first, then what the shell offers for them."""

from __future__ import annotations

from typing import Any

import typer

from biblicus_context.cli.options.completion import NameKind, complete, complete_list


def option(
    text: str,
    *flags: str,
    names: NameKind | None = None,
    list_of: NameKind | None = None,
    **more: Any,
) -> Any:  # as typer's own: a value that stands for the default
    """An option; the shell completes it with the known `names` of a kind, or with a `list_of` them."""
    more |= _completed(names, list_of)
    return typer.Option(*flags, help=text, **more)


def argument(text: str, *, names: NameKind | None = None, **more: Any) -> Any:
    """An argument; the shell completes it with the known `names` of a kind."""
    more |= _completed(names, None)
    return typer.Argument(help=text, **more)


def _completed(names: NameKind | None, list_of: NameKind | None) -> dict[str, Any]:
    """What is always said: a default that needs a word is in the help text, as typer shows `None`."""
    if names is not None:
        return {"show_default": False, "autocompletion": complete(names)}
    if list_of is not None:
        return {"show_default": False, "autocompletion": complete_list(list_of)}
    return {"show_default": False}
