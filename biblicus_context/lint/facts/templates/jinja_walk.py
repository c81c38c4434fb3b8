"""A walk through the tree of a template: the names it uses, and its mistakes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from jinja2 import nodes

from biblicus_context.errors import nearest
from biblicus_context.lint.facts.templates.parsed_template import TemplateMistake, TemplateName
from biblicus_context.text.templates.filters import PRICES
from biblicus_context.text.templates.jinja import sandbox

_UNUSUAL: Final = (nodes.Block, nodes.Macro, nodes.CallBlock)
_DEFAULTS: Final = frozenset({"default", "d"})
_PRESENCE: Final = frozenset({"defined", "undefined"})
_ALIKE: Final = ("upper", "lower", "title", "capitalize", "items", "replace", "int", "float")
_AS_FILTERS: Final = {
    **{name: name for name in _ALIKE},
    "strip": "trim",
    "count": "length",
    "len": "length",
    "str": "string",
    "keys": "list",
    "get": "default('')",
}
"""The filter that replaces a call of this name."""


@dataclass
class TemplateWalk:
    """The names and mistakes that were found in a template."""

    uses: list[TemplateName] = field(default_factory=list)
    assigned: set[str] = field(default_factory=set)
    """Names that the template itself sets."""
    optional: set[str] = field(default_factory=set)
    """Paths that are tested by `is defined`, or have a default."""
    guards: set[str] = field(default_factory=set)
    looped: set[str] = field(default_factory=set)
    filtered: set[tuple[int, str]] = field(default_factory=set)
    mistakes: list[TemplateMistake] = field(default_factory=list)
    is_unusual: bool = False
    """Whether the template has to be compiled to find its mistakes."""

    def look_through(self, node: nodes.Node) -> None:
        """Record the names and mistakes in a part of a template."""
        _note(node, self)
        if isinstance(node, nodes.Output):
            for written in node.nodes:
                self.note_written(written)
        path = _dotted(node)
        if path is not None:
            self.uses.append(TemplateName(path, _start(node)))
            return
        for child in node.iter_child_nodes():
            self.look_through(child)

    def note_written(self, node: nodes.Node) -> None:
        """Record the filters of what a template writes; those of a condition write nothing."""
        filters = [*node.find_all(nodes.Filter)]
        for each in (*filters, node) if isinstance(node, nodes.Filter) else filters:
            if each.node is not None:
                self.filtered |= {(start, each.name) for start in _starts(each.node)}

    def public_uses(self) -> tuple[TemplateName, ...]:
        """The uses of names that the template does not set itself."""
        given = (use for use in self.uses if use.first not in self.assigned)
        if not self.optional:
            return tuple(given)
        return tuple(use._replace(has_default=self._is_optional(use.path)) for use in given)

    def hidden_names(self, uses: tuple[TemplateName, ...]) -> list[TemplateMistake]:
        """The names among these that the engine never passes to a template."""
        return [_hidden(use.first, use.offset) for use in uses if use.path.startswith("_")]

    def _is_optional(self, path: str) -> bool:
        return any(path == each or path.startswith(f"{each}.") for each in self.optional)


def _note(node: nodes.Node, finds: TemplateWalk) -> None:
    match node:
        case nodes.Name(name=name, ctx="store" | "param"):
            finds.assigned.add(name)
            finds.is_unusual |= name == "loop"
        case nodes.For(iter=iterated):
            finds.assigned.add("loop")
            finds.looped |= {path for path in [_dotted(iterated)] if path}
        case _ if isinstance(node, _UNUSUAL):
            finds.is_unusual = True
        case nodes.If(test=test) | nodes.CondExpr(test=test):
            finds.guards |= _paths(test)
        case nodes.And(left=left) | nodes.Or(left=left):
            finds.guards |= _paths(left)
        case nodes.Filter() | nodes.Test():
            _note_filter(node, finds)
        case nodes.Getattr(attr=part) | nodes.Getitem(arg=nodes.Const(value=str() as part)):
            _note_part(part, node, finds)
        case nodes.Call():
            finds.mistakes.append(_call(node))
        case nodes.Include() | nodes.Import() | nodes.FromImport() | nodes.Extends():
            problem = "templates cannot load other templates"
            finds.mistakes.append(
                TemplateMistake("call", node.lineno, problem, fix="Insert a context.")
            )


def _note_filter(node: nodes.Filter | nodes.Test, finds: TemplateWalk) -> None:
    noun = "filter" if isinstance(node, nodes.Filter) else "test"
    known = PRICES if noun == "filter" else sandbox().tests
    if node.name not in known:
        guess = nearest(node.name, known)
        finds.mistakes.append(
            TemplateMistake(
                "filter",
                node.lineno,
                f"unknown {noun}",
                node.name,
                f"Did you mean '{guess}'?" if guess else f"Known: {', '.join(sorted(known))}.",
            )
        )
    if node.name in (_DEFAULTS if noun == "filter" else _PRESENCE) and node.node is not None:
        finds.optional |= _paths(node.node)
    if node.name == "attr" and node.args and isinstance(node.args[0], nodes.Const):
        _note_part(str(node.args[0].value), node, finds)


def _note_part(part: str, node: nodes.Node, finds: TemplateWalk) -> None:
    # look_through handles a path as a whole and does not descend into it, so its parts are noted here.
    finds.mistakes += [_hidden(part, node.lineno)] if part.startswith("_") else []
    owner = node.node if isinstance(node, nodes.Getattr | nodes.Getitem) else None
    if owner is not None and _dotted(node) is not None:
        _note(owner, finds)


def _hidden(name: str, offset: int) -> TemplateMistake:
    fix = "Pass it under a name that does not begin with '_'."
    return TemplateMistake(
        "hidden", offset, "templates cannot use names that begin with '_'", name, fix
    )


def _call(node: nodes.Call) -> TemplateMistake:
    called = _dotted(node.node) or "the result of an expression"
    filter_ = _AS_FILTERS.get(called.rpartition(".")[2])
    fix = f"Use a filter: {{{{ ... | {filter_} }}}}." if filter_ else "Use a filter."
    return TemplateMistake("call", _start(node), f"templates cannot call {called}", None, fix)


def _starts(node: nodes.Node) -> set[int]:
    """The offsets of the paths in an expression."""
    if _dotted(node) is not None:
        return {_start(node)}
    return set().union(*(_starts(child) for child in node.iter_child_nodes()))


def _paths(node: nodes.Node) -> set[str]:
    path = _dotted(node)
    if path is not None:
        return {path}
    return set().union(*(_paths(child) for child in node.iter_child_nodes()))


def _dotted(node: nodes.Node) -> str | None:
    match node:
        case nodes.Name(name=name, ctx="load"):
            return str(name)
        case nodes.Getattr(node=owner, attr=part):
            path = _dotted(owner)
        case nodes.Getitem(node=owner, arg=nodes.Const(value=str() | int() as part)):
            path = _dotted(owner)
        case _:
            return None
    return None if path is None else f"{path}.{part}"


def _start(node: nodes.Node) -> int:
    """The offset of an expression; a path begins at its first name."""
    match node:
        case nodes.Getattr(node=owner) | nodes.Getitem(node=owner) | nodes.Call(node=owner):
            return _start(owner)
    return node.lineno
