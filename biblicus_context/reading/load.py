"""A file's text becomes typed declarations; an invalid document becomes an error in its place."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from operator import itemgetter
from pathlib import Path as FilePath
from typing import Final

from pydantic import ValidationError

from biblicus_context.base.doors import door
from biblicus_context.base.paths import resolved
from biblicus_context.base.validation import invalid_values
from biblicus_context.errors import InputError, LoadError
from biblicus_context.reading.check import departures, worded_errors
from biblicus_context.reading.declared_folders import declared_folders
from biblicus_context.reading.error_recovery import mended
from biblicus_context.reading.fast_validation import proven
from biblicus_context.reading.inheritance import WholeTree, whole_trees
from biblicus_context.reading.kinds import Declaration, Kind, declare
from biblicus_context.reading.mistakes import Mistake
from biblicus_context.reading.schema_errors import shown
from biblicus_context.reading.text_files import Steps, TextFile, with_text_files
from biblicus_context.reading.yaml.compose import MAX_PROBLEMS
from biblicus_context.reading.yaml.documents import read_trees
from biblicus_context.reading.yaml.tree import Path, Place, Step, Tree
from biblicus_context.spec.corpus import CorpusDeclaration

_NAME = re.compile(r"""^name:[ \t]*["']?([^"'#\r\n]+)""", re.MULTILINE)
_TAKEN_OVER: Final = frozenset({"corpus", "config"})
"""The keys that are not known of a retriever that is like an unknown one."""


@dataclass(frozen=True)
class PlanDocument:
    """One declaration and its place."""

    kind: Kind
    declaration: Declaration
    file: str
    line: int
    tree: Tree = field(repr=False)
    text_files: Mapping[Steps, TextFile] = field(repr=False)
    """The files that texts of it come from, by the path of the text."""
    lost: frozenset[str] | None = None
    """For an invalid document the keys of it under which something was left out."""

    @property
    def is_valid(self) -> bool:
        """Whether it is as its author wrote it."""
        return self.lost is None


@door
def read_documents(
    data: str | bytes, file: str, roots: Collection[FilePath] = ()
) -> list[PlanDocument | LoadError]:
    """Every document of a file in order; an invalid one never hides the others.

    `roots` are the folders that plans are looked for in.

    >>> document, problem = read_documents("kind: corpus\\nname: handbook\\n---\\nkind: x\\n", "a.yaml")
    >>> document.declaration.name, problem.line
    ('handbook', 4)
    """
    drafts = read_drafts(data, file, roots)
    return [each for each in drafts if isinstance(each, LoadError) or each.is_valid]


def read_drafts(
    data: str | bytes, file: str, roots: Collection[FilePath] = ()
) -> list[PlanDocument | LoadError]:
    """As `read_documents`, with what is left of an invalid document after its errors."""
    found = [*read_trees(data, file)]
    unread = claimed_names(data) if any(isinstance(each, LoadError) for each in found) else ()
    results: list[PlanDocument | LoadError] = []
    reported: set[str] = set()
    for each in whole_trees(found, unread):
        for result in [each] if isinstance(each, LoadError) else _of(each, roots):
            # A mistake in settings that others take over is one mistake.
            if isinstance(result, PlanDocument) or str(result) not in reported:
                results.append(result)
            if isinstance(result, LoadError):
                reported.add(str(result))
    return results


def _of(whole: WholeTree, roots: Collection[FilePath]) -> Iterator[PlanDocument | LoadError]:
    yield from whole.problems
    yield from _declared(whole.tree, roots, None if whole.is_whole else _TAKEN_OVER)


def _declared(
    tree: Tree, roots: Collection[FilePath], lost: frozenset[str] | None
) -> Iterator[PlanDocument | LoadError]:
    known = proven(tree.root.value)
    if known is None:
        violations = departures(tree)
        yield from worded_errors(tree, violations)
        if violations:
            mending = mended(tree, violations)
            if mending is None:
                return
            tree, lost = mending.tree, (lost or frozenset()) | mending.lost
        problems = list(islice(repeats(tree), MAX_PROBLEMS))
        if problems:
            yield from problems
            return
    yield from _typed(tree, known, lost, roots)


def _typed(
    tree: Tree,
    known: tuple[Kind, Declaration] | None,
    lost: frozenset[str] | None,
    roots: Collection[FilePath],
) -> Iterator[PlanDocument | LoadError]:
    texts = with_text_files(tree, roots)
    if texts.problems:
        yield from texts.problems
        return
    try:
        kind, declaration = declare(texts.value) if known is None or texts.files else known
    except ValidationError as error:
        yield from refused(tree, error)
        return
    if isinstance(declaration, CorpusDeclaration):
        problems = [*_unusable_folders(tree, declaration)]
        yield from problems
        if problems:
            return
    line = tree.root.place.line
    yield PlanDocument(kind, declaration, tree.file, line, tree, texts.files, lost)


def _unusable_folders(tree: Tree, corpus: CorpusDeclaration) -> Iterator[LoadError]:
    """Folders of a corpus that no folder can be named, or that are links in a circle."""
    for setting, folder in declared_folders(corpus, tree.file):
        try:
            resolved(folder)
        except InputError as error:
            place = tree.at(["config", setting]).place
            found = corpus.config[setting]
            yield tree.error(
                error.problem, place, found=found, fix=error.fix, mistake="invalid-value"
            )


def refused(tree: Tree, error: ValidationError) -> Iterator[LoadError]:
    """What only the models can check, each error at the innermost place of its path."""
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
    """A pydantic location without the steps that authors do not write, such as names of models."""
    path: list[Step] = []
    for step in location:
        if tree.at(path).part(step) is not None:
            path.append(step)
    return path


def repeats(tree: Tree) -> Iterator[LoadError]:
    """Errors for a second history, or a second input of the same name, which the schema cannot count."""
    first: dict[str, Place] = {}
    for mistake, repeated, place in sorted(_once(tree), key=itemgetter(2)):
        if repeated in first:
            fix = f"Keep one of the two; the first is in line {first[repeated].line}."
            yield tree.error(repeated, place, fix=fix, mistake=mistake)
        first.setdefault(repeated, place)


def _once(tree: Tree) -> Iterator[tuple[Mistake, str, Place]]:
    for entry in tree.at(["messages"]).items:
        kind = entry.part("type")
        if kind and kind.value == "history":
            yield "duplicate-history", "the history is placed twice", entry.place
    for entry in tree.at(["inputs"]).items:
        name = entry.part("name") or entry
        yield "duplicate-input", f"input {name.value!r} is declared twice", name.place


def claimed_names(data: str | bytes) -> list[str]:
    """Names in an invalid file, so that documents that use them are not reported too."""
    text = data if isinstance(data, str) else data.decode("utf-8", errors="replace")
    return [name.strip() for name in _NAME.findall(text)]
