"""A module for Lua: `require("biblicus_context").assemble{...}` in a procedure."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from biblicus_context import ContextAssemblyResult, ContextError, InputError, Principal
from biblicus_context.integrations.tactus.declared import ProcedureDeclarations
from biblicus_context.integrations.tactus.engine import Engine

_WRITTEN_HERE: Final = "context"
"""The name of a context that a call brings along."""

_ARGUMENTS: Final = {
    "inputs": "inputs",
    "history": "history",
    "message": "user_message",
    "base_system_prompt": "base_system_prompt",
    "tools": "tools",
    "model": "model",
    "budget": "budget",
}
"""What Lua may say besides the context, and what Python calls it."""
_LISTS: Final = ("messages", "packs", "history", "tools")


class HostError(RuntimeError):
    """An error for Lua: its text, and nothing of ours that Lua could reach through it."""


def host(
    *paths: str | Path, principal: Principal | None = None
) -> dict[str, Callable[[Any], dict[str, Any]]]:
    """The functions for `runtime.register_python_module("biblicus_context", host("contexts"))`.

    `paths` are files and folders of YAML whose contexts Lua can assemble by name.
    """
    engine = Engine(paths, principal=principal)

    def assemble(call: Any = None) -> dict[str, Any]:
        """What `assembler.assemble` returns, as plain tables."""
        try:
            return _tables(_assembled(engine, call))
        except ContextError as error:
            raise HostError(str(error)) from None
        except Exception as error:  # its attributes are not for Lua either
            raise HostError(f"{type(error).__name__}: {error}") from None

    return {"assemble": assemble}


def _assembled(engine: Engine, call: Any) -> ContextAssemblyResult:
    if not isinstance(call, Mapping):
        raise InputError(
            "assemble takes one table", found=call, fix='Write: ctx.assemble{name = "support"}.'
        )
    arguments = _with_lists(call)
    name, context = arguments.pop("name", None), arguments.pop("context", None)
    if (name is None) == (context is None):
        raise InputError(
            "assemble needs a context", valid=['name = "support"', "context = {messages = {...}}"]
        )
    given = _known(arguments)
    if context is None:
        return engine.assembler(ProcedureDeclarations()).assemble(str(name), **given)
    declared = ProcedureDeclarations({_WRITTEN_HERE: _with_lists(_table(context))})
    return engine.assembler(declared).assemble(_WRITTEN_HERE, **given)


def _known(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments as Python calls them."""
    for name in arguments:
        if name not in _ARGUMENTS:
            valid = ["name", "context", *_ARGUMENTS]
            raise InputError("unknown argument", place="assemble", found=name, valid=valid)
    return {_ARGUMENTS[name]: _whole(value) for name, value in arguments.items()}


def _table(context: Any) -> Mapping[str, Any]:
    if isinstance(context, Mapping):
        return context
    raise InputError("context must be a table", found=context, fix="A name goes under `name`.")


def _with_lists(table: Mapping[str, Any]) -> dict[str, Any]:
    """A copy in which an empty table stands for no entries where a list is meant."""
    return {key: [] if key in _LISTS and value == {} else value for key, value in table.items()}


def _whole(value: Any) -> Any:
    """A division in Lua gives 400.0 where 400 tokens are meant."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _tables(result: ContextAssemblyResult) -> dict[str, Any]:
    """Texts, numbers, lists and mappings alone; the same call gives the same answer."""
    answer = {
        "system_prompt": result.system_prompt,
        "history": result.history,
        "user_message": result.user_message,
        "messages": result.messages,
        "token_count": result.token_count,
        "receipt": result.receipt.without_timings().model_dump(mode="json"),
    }
    plain: dict[str, Any] = json.loads(json.dumps(answer, default=str))
    return plain
