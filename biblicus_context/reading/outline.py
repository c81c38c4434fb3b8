"""What the rest of a project has to know of a document: its name and the names it uses."""

from __future__ import annotations

from typing import NamedTuple

from biblicus_context.errors import LoadError
from biblicus_context.reading.kinds import Kind
from biblicus_context.reading.load import PlanDocument
from biblicus_context.reading.mistakes import Mistake
from biblicus_context.reading.uses import Noun, uses
from biblicus_context.reading.yaml.tree import Place


class LocatedName(NamedTuple):
    """A name, what it is the name of, and where it is said."""

    noun: Noun
    name: str
    place: Place


class Outline(NamedTuple):
    """One document in brief; small, so that it can travel to another process."""

    kind: Kind
    name: str
    file: str
    line: int
    place: Place
    """Where the name stands."""
    uses: tuple[LocatedName, ...]

    def error(
        self,
        mistake: Mistake,
        problem: str,
        place: Place,
        *,
        found: str | None = None,
        valid: tuple[str, ...] = (),
        fix: str | None = None,
    ) -> LoadError:
        """What is wrong at a place of this document."""
        line, column = place
        return LoadError(
            problem,
            file=self.file,
            line=line,
            column=column,
            found=found,
            valid=valid,
            fix=fix,
            mistake=mistake,
        )


def outline(document: PlanDocument) -> Outline:
    """The outline of a document."""
    tree = document.tree
    return Outline(
        document.kind,
        document.declaration.name,
        document.file,
        document.line,
        tree.at(["name"]).place,
        tuple(
            LocatedName(use.noun, use.name, tree.at(use.path).place)
            for use in uses(document.declaration)
        ),
    )
