"""The document that a rule checks: its declaration, its tree and the lines of its file."""

from __future__ import annotations

from dataclasses import dataclass

from biblicus_context.lint.engine.finding import Edit, Violation
from biblicus_context.reading.kinds import Declaration, Kind
from biblicus_context.reading.load import PlanDocument
from biblicus_context.reading.yaml.tree import Path, Place


@dataclass(frozen=True, slots=True)
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
    def text(self) -> str:
        """The part of the file that this document was read from."""
        return self.document.tree.text

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
