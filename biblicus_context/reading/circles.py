"""Declarations that need each other in a circle, found before anything runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from biblicus_context.errors import LoadError
from biblicus_context.reading.kinds import Kind
from biblicus_context.reading.mistakes import Mistake
from biblicus_context.reading.outline import Outline, Used
from biblicus_context.reading.uses import Noun


class _Graph(NamedTuple):
    """Documents of one kind that may use each other."""

    kind: Kind
    noun: Noun
    verb: str
    mistake: Mistake


_GRAPHS = (
    _Graph("context", "pack", "insert", "context-cycle"),
    _Graph("compactor", "compactor", "use", "compactor-cycle"),
)


def circles(outlines: Sequence[Outline]) -> Iterator[LoadError]:
    """Every circle of contexts or of compactors, at the use that closes it."""
    for graph in _GRAPHS:
        nodes = {each.name: each for each in outlines if each.kind == graph.kind}
        for way, closing in _closing(nodes, graph.noun):
            yield _circle(graph, [nodes[name] for name in way], closing)


def _closing(nodes: Mapping[str, Outline], noun: Noun) -> Iterator[tuple[Sequence[str], Used]]:
    """The names once around each circle, and the use by which the last one names the first."""
    finished: set[str] = set()
    for start in nodes:
        way = {} if start in finished else {start: iter(nodes[start].uses)}
        while way:
            name, ahead = next(reversed(way.items()))
            use = next((use for use in ahead if use.noun == noun and use.name in nodes), None)
            if use is None:
                del way[name]
                finished.add(name)
            elif use.name in way:
                yield [*way][[*way].index(use.name) :], use
            elif use.name not in finished:
                way[use.name] = iter(nodes[use.name].uses)


def _circle(graph: _Graph, members: Sequence[Outline], closing: Used) -> LoadError:
    names = [member.name for member in members]
    around = " -> ".join([*names, names[0]])
    places = ", ".join(f"{member.file}:{member.line}" for member in members)
    return members[-1].error(
        graph.mistake,
        f"{graph.kind}s {graph.verb} each other in a circle: {around}",
        closing.place,
        fix=f"Remove one of these {graph.verb}s. They stand in {places}.",
    )
