"""What a shell offers for a half-typed name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import typer

NameKind: TypeAlias = Literal[
    "context", "retriever", "corpus", "model", "counter", "schema", "rule", "input"
]
Completion: TypeAlias = Callable[[typer.Context, str], list[str]]


def complete(kind: NameKind) -> Completion:
    """A completion of the known names of this kind."""

    def names(ctx: typer.Context, incomplete: str) -> list[str]:
        from biblicus_context.cli.input.known_names import known_names  # loads the engine

        # While the value of an option is completed, the arguments before it are not parsed yet.
        given = {**ctx.params, "name": ctx.params.get("name") or next(iter(ctx.args), None)}
        return [name for name in known_names(kind, given) if name.startswith(incomplete)]

    return names


def complete_list(kind: NameKind) -> Completion:
    """A completion of the last of several names, which commas separate."""
    offered = complete(kind)

    def names(ctx: typer.Context, incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        return [f"{before}{comma}{name}" for name in offered(ctx, last)]

    return names
