"""Everything that is used of Tactus and of the Biblicus it comes with."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from importlib import import_module
from typing import Any

from biblicus_context import MissingExtraError


def assembler_module() -> Any:
    """The module whose `ContextAssembler` an agent looks up in every turn."""
    return _module("tactus.core.context_assembler")


def runtime_class() -> Any:
    """What runs procedures, and sees to the indexes of declared retrievers before it does."""
    return _module("tactus.core.runtime").TactusRuntime


def retriever_router(
    corpora: Mapping[str, Any], retrievers: Mapping[str, Any]
) -> Callable[[Any], Any]:
    """What asks the retrievers of Tactus and Biblicus, by their `retriever_id`."""
    router: Callable[[Any], Any] = _module("tactus.core.retrieval").make_retriever_router(
        corpora, retrievers
    )
    return router


def retrievers_of_biblicus() -> Collection[str]:
    """Every `retriever_id` that Biblicus answers to."""
    known: Collection[str] = _module("biblicus.retrievers").available_retrievers()
    return known


def without_lua(value: Any) -> Any:
    """A value that may be a table of Lua, as what Python has for it."""
    is_table = _module("lupa").lua_type(value) == "table"
    return _module("tactus.core.dsl_stubs").lua_table_to_dict(value) if is_table else value


def _module(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingExtraError("tactus", "tactus") from error
