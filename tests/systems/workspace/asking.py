"""Small things that tests of the workspace system share."""

from __future__ import annotations

import asyncio
from typing import Any

from biblicus_context.systems.workspace import (
    BlockStore,
    ContextBuilder,
    ContextConfig,
    ContextPayload,
    ContextRequest,
    User,
)

ANN = User(id="ann", workspace="acme")


def ask(
    store: BlockStore, query: str = "What is planned?", user: User = ANN, **request: Any
) -> ContextPayload:
    """A payload of the shipped plan; `config` and `plan` are those of the builder."""
    options = {name: request.pop(name) for name in ("config", "plan") if name in request}
    builder = ContextBuilder(store, **options)
    return asyncio.run(builder.build(ContextRequest(query=query, user=user, **request)))


def ids(payload: ContextPayload, section: str | None = None) -> list[str]:
    """The blocks of a section, or of all four."""
    collectors = ("focus", "semantic", "relations", "activity")
    wanted = collectors if section is None else (section,)
    return [
        item.block_id for each in payload.sections if each.type in wanted for item in each.items
    ]


def only(*collectors: str, **more: Any) -> ContextConfig:
    """A configuration with these collectors alone."""
    names = ("focus", "semantic", "relations", "activity")
    return ContextConfig(collectors={name: name in collectors for name in names}, **more)
