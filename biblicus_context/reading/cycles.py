"""Declarations that include each other in a cycle, found before anything runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from biblicus_context.base.cycles import find_cycles
from biblicus_context.errors import LoadError
from biblicus_context.reading.kinds import Kind
from biblicus_context.reading.mistakes import Mistake
from biblicus_context.reading.outline import Noun, Outline


class _Graph(NamedTuple):
    """Documents of one kind that may use each other."""

    kind: Kind
    noun: Noun
    verb: str
    mistake: Mistake


_GRAPHS = (
    _Graph("context", "pack", "insert", "context-cycle"),
    _Graph("compactor", "compactor", "use", "compactor-cycle"),
    _Graph("retriever", "pack", "use", "retriever-cycle"),
)


def name_cycles(outlines: Sequence[Outline]) -> Iterator[LoadError]:
    """Every cycle of contexts, of compactors or of combined retrievers, at the use that closes it."""
    for graph in _GRAPHS:
        nodes = {each.name: each for each in outlines if each.kind == graph.kind}
        used = {
            name: [use.name for use in node.uses if use.noun == graph.noun]
            for name, node in nodes.items()
        }
        for cycle in find_cycles(used):
            yield _error(graph, [nodes[name] for name in cycle])


def _error(graph: _Graph, members: Sequence[Outline]) -> LoadError:
    names = [member.name for member in members]
    closing = next(
        use for use in members[-1].uses if use.noun == graph.noun and use.name == names[0]
    )
    around = " -> ".join([*names, names[0]])
    places = ", ".join(f"{member.file}:{member.line}" for member in members)
    return closing.place.error(
        members[-1].file,
        f"{graph.kind}s {graph.verb} each other in a cycle: {around}",
        mistake=graph.mistake,
        fix=f"Remove one of these {graph.verb}s. The {graph.kind}s are declared at {places}.",
    )
