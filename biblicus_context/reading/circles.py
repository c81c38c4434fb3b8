"""Declarations that need each other in a circle, found before anything runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from biblicus_context.errors import LoadError
from biblicus_context.reading.kinds import Kind
from biblicus_context.reading.load import Document
from biblicus_context.reading.uses import Noun, Use, uses


class _Graph(NamedTuple):
    """Documents of one kind that may use each other."""

    kind: Kind
    noun: Noun
    verb: str


_GRAPHS = (_Graph("context", "pack", "insert"), _Graph("compactor", "compactor", "use"))


def circles(documents: Sequence[Document]) -> Iterator[LoadError]:
    """Every circle of contexts or of compactors, at the use that closes it."""
    for graph in _GRAPHS:
        nodes = {each.declaration.name: each for each in documents if each.kind == graph.kind}
        for way, closing in _closing(nodes, graph.noun):
            yield _circle(graph, [nodes[name] for name in way], closing)


def _closing(nodes: Mapping[str, Document], noun: Noun) -> Iterator[tuple[Sequence[str], Use]]:
    """The names once around each circle, and the use by which the last one names the first."""
    finished: set[str] = set()
    for start in nodes:
        way = {} if start in finished else {start: uses(nodes[start].declaration)}
        while way:
            name, ahead = next(reversed(way.items()))
            use = next((use for use in ahead if use.noun == noun and use.name in nodes), None)
            if use is None:
                del way[name]
                finished.add(name)
            elif use.name in way:
                yield [*way][[*way].index(use.name) :], use
            elif use.name not in finished:
                way[use.name] = uses(nodes[use.name].declaration)


def _circle(graph: _Graph, members: Sequence[Document], closing: Use) -> LoadError:
    names = [member.declaration.name for member in members]
    around = " -> ".join([*names, names[0]])
    places = ", ".join(f"{member.file}:{member.line}" for member in members)
    last = members[-1].tree
    return last.error(
        f"{graph.kind}s {graph.verb} each other in a circle: {around}",
        last.at(closing.path).place,
        fix=f"Remove one of these {graph.verb}s. They stand in {places}.",
    )
