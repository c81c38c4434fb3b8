"""What a context may say only once, which a schema cannot count."""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter

from biblicus_context.errors import LoadError
from biblicus_context.reading.mistakes import Mistake
from biblicus_context.reading.yaml.tree import Place, Tree


def repeats(tree: Tree) -> Iterator[LoadError]:
    """The second history, and the second input of a name, in a document that fits the schema."""
    first: dict[str, Place] = {}
    for mistake, repeated, place in sorted(_once(tree), key=itemgetter(2)):
        if repeated in first:
            fix = f"The first stands in line {first[repeated].line}: keep one of them."
            yield tree.error(repeated, place, fix=fix, mistake=mistake)
        first.setdefault(repeated, place)


def _once(tree: Tree) -> Iterator[tuple[Mistake, str, Place]]:
    for entry in tree.at(["messages"]).items:
        kind = entry.part("type")
        if kind and kind.value == "history":
            yield "duplicate-history", "history can be placed once, not twice", entry.place
    for entry in tree.at(["inputs"]).items:
        name = entry.part("name") or entry
        yield "duplicate-input", f"input {name.value!r} is declared twice", name.place
