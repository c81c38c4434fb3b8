"""The reference of the Python names: which there are, in groups; the site adds their docstrings."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, Final

import biblicus_context

_BEGIN: Final = """\
# API reference

<!-- Made from the docstrings: python docs/generate.py -->

Every public name of `biblicus_context`, and of its four systems, with its signature and docstring. Import
the names of a system from the system, such as `biblicus_context.systems.memory`, and all others from
`biblicus_context`. [Python](python.md) explains how they are used, [errors](errors.md) what to do about
each error, and [the reference of the plan language](plan-reference.md) every key of a declaration.
"""
_GROUPS: Final[Mapping[str, tuple[str, ...]]] = {
    "Assembling": ("assembly.assembler", "assembly.result.result", "assembly"),
    "Projects": ("reading",),
    "Corpora": ("corpora", "stores", "ingest", "embedders"),
    "Packs and retrievers": ("retrieval",),
    "Compactors": ("text.compactors",),
    "Counters and models": ("text",),
    "Declarations": ("spec",),
    "Errors": ("errors",),
}
_SYSTEMS: Final = ("memory", "prime", "workspace", "learning")
_OTHERS: Final = "Others"
"""The group of names whose room is in none of these."""


def page() -> str:
    """The whole page."""
    names = {name: getattr(biblicus_context, name) for name in biblicus_context.__all__}
    found: dict[str, list[str]] = {title: [] for title in (*_GROUPS, _OTHERS)}
    for name, value in names.items():
        found[_group(value)].append(name)
    sections = (_section(title, group, names) for title, group in found.items() if group)
    return "\n".join([_BEGIN, *sections, *map(_system, _SYSTEMS)])


def _system(name: str) -> str:
    """The names of a system; an alias is a row of the table, as its class is explained elsewhere."""
    place = f"biblicus_context.systems.{name}"
    names = {
        each: value
        for each, value in vars(import_module(place)).items()
        if not each.startswith("_") and not inspect.ismodule(value)
    }
    ordered = sorted(names, key=str.lower)
    rows = [f"| `{each}` | {_meaning(each, names[each])} |" for each in ordered]
    own = [each for each in ordered if getattr(names[each], "__name__", "") == each]
    blocks = [f"::: {place}.{each}\n" for each in own if names[each].__module__.startswith(place)]
    title = f"## System: {name}\n\nImport them from `{place}`.\n\n| name | meaning |\n|---|---|"
    return "\n".join([title, *rows, "", *blocks])


def _meaning(name: str, value: Any) -> str:
    own = getattr(value, "__name__", None)
    if own is None:  # a constant or an alias of types, whose docstring is that of its type
        return ""
    return _summary(value) if own == name else f"The same as `{own}`."


def _group(value: Any) -> str:
    room = getattr(value, "__module__", "").removeprefix("biblicus_context.")
    matching = (
        title
        for title, rooms in _GROUPS.items()
        if any(room == each or room.startswith(f"{each}.") for each in rooms)
    )
    return next(matching, _OTHERS)


def _section(title: str, group: list[str], names: Mapping[str, Any]) -> str:
    ordered = sorted(group, key=lambda name: (_rank(title, names[name]), name.lower()))
    rows = [f"| `{name}` | {_summary(names[name])} |" for name in ordered]
    members = _members(title)
    blocks = [f"::: biblicus_context.{name}\n{members}" for name in ordered]
    return "\n".join([f"## {title}\n\n| name | meaning |\n|---|---|", *rows, "", *blocks])


def _rank(title: str, value: Any) -> int:
    """What a group names first is what most readers look for."""
    rooms = [f"biblicus_context.{room}" for room in _GROUPS.get(title, ())]
    module = getattr(value, "__module__", "")
    return rooms.index(module) if module in rooms else len(rooms)


def _members(title: str) -> str:
    """The keys of declarations are in the reference of the plan language already."""
    return "    options: {members: false}\n" if title == "Declarations" else ""


def _summary(value: Any) -> str:
    """The first sentence of a docstring."""
    return next(_paragraphs(inspect.getdoc(value) or ""), "").replace("|", "\\|")


def _paragraphs(doc: str) -> Iterator[str]:
    yield from (" ".join(part.split()) for part in doc.split("\n\n"))
