"""What a shell offers for a half-typed name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import typer

NameKind: TypeAlias = Literal["context", "retriever", "corpus", "model", "counter", "schema"]
Completion: TypeAlias = Callable[[typer.Context, str], list[str]]


def complete(kind: NameKind) -> Completion:
    """A completion of the known names of this kind."""

    def names(ctx: typer.Context, incomplete: str) -> list[str]:
        from biblicus_context.cli.input.known_names import known_names  # loads the engine

        path, shipped = ctx.params.get("path"), bool(ctx.params.get("shipped"))
        return [
            name for name in known_names(kind, path, shipped=shipped) if name.startswith(incomplete)
        ]

    return names
