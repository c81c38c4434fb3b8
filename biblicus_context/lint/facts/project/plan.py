"""The document that a rule checks: its declaration, its tree and the lines of its file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeVar

from biblicus_context.lint.engine.finding import Edit, Violation
from biblicus_context.reading.kinds import Declaration, Kind
from biblicus_context.reading.load import PlanDocument
from biblicus_context.reading.yaml.tree import Path, Place, Step
from biblicus_context.spec.context import ContextDeclaration
from biblicus_context.spec.corpus import CorpusDeclaration
from biblicus_context.spec.retriever import RetrieverDeclaration

_D = TypeVar("_D", bound=Declaration)
_LINE_BREAK: Final = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, eq=False)
class Plan:
    """A document without errors, and the lines of its file."""

    document: PlanDocument
    lines: tuple[str, ...]

    @property
    def kind(self) -> Kind:
        return self.document.kind

    @property
    def declaration(self) -> Declaration:
        return self.document.declaration

    @property
    def context(self) -> ContextDeclaration | None:
        """The context that this document declares."""
        return _if(ContextDeclaration, self.declaration)

    @property
    def retriever(self) -> RetrieverDeclaration | None:
        """The retriever that this document declares."""
        return _if(RetrieverDeclaration, self.declaration)

    @property
    def corpus(self) -> CorpusDeclaration | None:
        """The corpus that this document declares."""
        return _if(CorpusDeclaration, self.declaration)

    @property
    def text(self) -> str:
        """The part of the file that this document was read from."""
        return self.document.tree.text

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        """Where each line begins in `text`."""
        return (0, *(match.end() for match in _LINE_BREAK.finditer(self.text)))

    def takes_over(self, place: Place) -> bool:
        """Whether what is at a place was taken over from another retriever of the file."""
        tree = self.document.tree
        if not tree.bases:
            return False
        return not tree.first_line <= place.line < tree.first_line + len(self.line_starts)

    def key(self, path: Path) -> Place:
        """The place of the key that ends a path."""
        return self.document.tree.key_place(path)

    def value(self, path: Path) -> Place:
        """The place of the value at a path."""
        return self.document.tree.at(path).place

    def violation(
        self,
        path: Path,
        problem: str,
        *,
        found: str | None = None,
        valid: tuple[str, ...] = (),
        advice: str | None = None,
        edits: tuple[Edit, ...] = (),
    ) -> Violation:
        """A violation at the key that ends a path, or at an entry of a list."""
        return Violation(self.key(path), problem, found, valid, advice, edits)

    def in_text_file(
        self,
        path: tuple[Step, ...],
        offset: int,
        problem: str,
        *,
        found: str | None = None,
        valid: tuple[str, ...] = (),
        advice: str | None = None,
    ) -> Violation:
        """A violation at a character of a text that the plan takes from a file."""
        file = self.document.text_files[path]
        before = file.text[:offset]
        place = Place(before.count("\n") + 1, offset - before.rfind("\n"))
        return Violation(
            place, problem, found, valid, advice, text_file=file.path, anchor=self.key(path)
        )


def _if(kind: type[_D], declaration: Declaration) -> _D | None:
    return declaration if isinstance(declaration, kind) else None
