"""A file's text becomes typed declarations; a document that cannot is an error in its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from pydantic import ValidationError

from biblicus_context.base.validation import invalid_values
from biblicus_context.errors import LoadError
from biblicus_context.reading.check import check
from biblicus_context.reading.kinds import Declaration, Kind, declare
from biblicus_context.reading.repeats import repeats
from biblicus_context.reading.wording import shown
from biblicus_context.reading.yaml.compose import MAX_PROBLEMS
from biblicus_context.reading.yaml.documents import read_trees
from biblicus_context.reading.yaml.tree import Path, Step, Tree


@dataclass(frozen=True)
class Document:
    """One declaration and where it stands."""

    kind: Kind
    declaration: Declaration
    file: str
    line: int
    tree: Tree = field(repr=False)


def read_documents(data: str | bytes, file: str) -> list[Document | LoadError]:
    """Every document of a file in order; one that is wrong never hides the others.

    >>> document, problem = read_documents("kind: corpus\\nname: handbook\\n---\\nkind: x\\n", "a.yaml")
    >>> document.declaration.name, problem.line
    ('handbook', 4)
    """
    return [
        found
        for tree in read_trees(data, file)
        for found in ([tree] if isinstance(tree, LoadError) else _declared(tree))
    ]


def _declared(tree: Tree) -> Iterator[Document | LoadError]:
    problems = check(tree) or list(islice(repeats(tree), MAX_PROBLEMS))
    if problems:
        yield from problems
        return
    assert isinstance(tree.root.value, dict)
    try:
        kind, declaration = declare(tree.root.value)
    except ValidationError as error:
        yield from refused(tree, error)
    else:
        yield Document(kind, declaration, tree.file, tree.root.place.line, tree)


def refused(tree: Tree, error: ValidationError) -> Iterator[LoadError]:
    """What only the models can judge; a place is found for each as far as its path leads."""
    for invalid in invalid_values(error):
        if invalid.reason == "too_short":  # the schema has counted; an entry with a mistake is one
            continue
        path = _written_path(tree, invalid.path)
        yield tree.error(
            invalid.problem,
            tree.key_place(path),
            found=shown(tree.at(path).value),
            mistake="conflicting-keys",
        )


def _written_path(tree: Tree, location: Path) -> list[Step]:
    """A pydantic location without the steps that no author writes, such as names of models."""
    path: list[Step] = []
    for step in location:
        if tree.at(path).part(step) is not None:
            path.append(step)
    return path
