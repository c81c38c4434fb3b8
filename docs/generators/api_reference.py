"""The reference of the Python names: which there are, in groups; the site adds their docstrings."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, Final

import biblicus_context

_TOP: Final = "biblicus_context"
_BEGIN: Final = """\
# API reference

<!-- Made from the docstrings: python docs/generate.py -->

Every public name with its signature and docstring. The names with which a program declares contexts and
assembles them are in `biblicus_context`. All others are in their room, such as `biblicus_context.corpora`,
or their system, such as `biblicus_context.systems.memory`: each section says from where to import them.
[Python](python.md) explains how they are used, [errors](errors.md) what to do about each error, and
[the reference of the plan language](plan-reference.md) every key of a declaration.
"""
_FIRST: Final = ("ContextAssembler", "ContextAssemblyResult")
"""What most readers look for."""
_ROOMS: Final[Mapping[str, str]] = {
    "assembly": "Assembling",
    "reading": "Projects",
    "corpora": "Corpora",
    "ingest": "Files and records",
    "stores": "Stores",
    "embedders": "Embedders",
    "batches": "Batches",
    "shared_state": "What processes share",
    "retrieval": "Packs and retrievers",
    "text": "Compactors, counters and models",
    "spec": "Declarations",
    "formats": "Formats of providers",
    "errors": "Errors",
    "base": "Version",
}
_OF_THE_TOP: Final = ("errors", "base")
"""Rooms of which the rest is for other rooms."""
_SYSTEMS: Final = ("memory", "prime", "workspace", "learning")


def page() -> str:
    """The whole page."""
    top = {*dir(biblicus_context)}
    sections = [section for room in _ROOMS for section in _room(room, top)]
    return "\n".join([_BEGIN, *sections, *map(_system, _SYSTEMS)])


def _room(room: str, top: set[str]) -> Iterator[str]:
    """What of a room is at the top, and what the room alone exports."""
    place, title = f"{_TOP}.{room}", _ROOMS[room]
    names = _values(place)
    first = sorted(top & {*names}, key=lambda name: (name not in _FIRST, name.lower()))
    if first:
        yield _section(title, _TOP, first, names)
    rest = sorted({*names} - top, key=_alphabetical)
    if rest and room not in _OF_THE_TOP:
        yield _section(f"{title}: more", place, rest, names)


def _alphabetical(name: str) -> tuple[str, str]:
    """Names that differ in capitals alone have an order as well: a set gives them in any."""
    return name.lower(), name


def _values(place: str) -> dict[str, Any]:
    """The public names of a room and their values."""
    room = import_module(place)
    names = getattr(room, "__all__", dir(room))
    shown = (name for name in names if name == "__version__" or not name.startswith("_"))
    return {name: getattr(room, name) for name in shown}


def _system(name: str) -> str:
    """The names of a system; an alias is a row of the table, as its class is explained elsewhere."""
    place = f"biblicus_context.systems.{name}"
    names = {
        each: value
        for each, value in vars(import_module(place)).items()
        if not each.startswith("_") and not inspect.ismodule(value)
    }
    ordered = sorted(names, key=_alphabetical)
    rows = [f"| `{each}` | {_meaning(each, names[each])} |" for each in ordered]
    own = [each for each in ordered if getattr(names[each], "__name__", "") == each]
    blocks = [f"::: {place}.{each}\n" for each in own if names[each].__module__.startswith(place)]
    title = f"## System: {name}\n\nImport them from `{place}`.\n\n| name | meaning |\n|---|---|"
    return "\n".join([title, *rows, "", *blocks])


def _meaning(name: str, value: Any) -> str:
    if name == "__version__":
        return "The version that is installed, such as `0.1.0`."
    own = getattr(value, "__name__", None)
    if own is None:  # a constant or an alias of types, whose docstring is that of its type
        return ""
    return _summary(value) if own == name else f"The same as `{own}`."


def _section(title: str, place: str, names: list[str], values: Mapping[str, Any]) -> str:
    rows = [f"| `{name}` | {_meaning(name, values[name])} |" for name in names]
    members = "    options: {members: false}\n" if title.startswith("Declarations") else ""
    blocks = [f"::: {place}.{name}\n{members}" for name in names]
    head = f"## {title}\n\nImport them from `{place}`.\n\n| name | meaning |\n|---|---|"
    return "\n".join([head, *rows, "", *blocks])


def _summary(value: Any) -> str:
    """The first sentence of a docstring."""
    return next(_paragraphs(inspect.getdoc(value) or ""), "").replace("|", "\\|")


def _paragraphs(doc: str) -> Iterator[str]:
    yield from (" ".join(part.split()) for part in doc.split("\n\n"))
