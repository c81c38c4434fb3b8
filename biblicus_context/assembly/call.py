"""What the caller handed in for one assembly, typed at the door."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

Retriever: TypeAlias = Callable[[Any], Any]
"""Takes a `ContextRetrieverRequest`; returns a `ContextPack` or None; may be async."""

Message: TypeAlias = Mapping[str, Any]


class Call(NamedTuple):
    """One call of `assemble`."""

    names: Mapping[str, Any]
    history: Sequence[Message] = ()
    user_message: str = ""
    base_system_prompt: str = ""
    retriever: Retriever | None = None
    assembly: str = ""
    """The same in all requests of this assembly, and in no other's."""

    @property
    def question(self) -> str:
        """What a retriever without a query template is asked for."""
        given = self.names.get("input")
        known = given if isinstance(given, Mapping) else {}
        for name in ("query", "message"):
            if known.get(name):
                return str(known[name])
        return self.user_message
