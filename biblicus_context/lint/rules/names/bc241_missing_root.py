"""BC241: the folder of a corpus does not exist."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from biblicus_context.errors import nearest
from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.own_corpora import root_folder
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.rules.example_parts import ASKING
from biblicus_context.spec.corpus import CorpusDeclaration


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    corpus = plan.declaration
    if not isinstance(corpus, CorpusDeclaration) or "root" not in corpus.config:
        return
    root, written = root_folder(corpus, declared), str(corpus.config["root"])
    if root is None or os.path.lexists(root) or _is_reported(written):
        return
    yield plan.violation(
        ("config", "root"),
        "the root of the corpus does not exist",
        found=written,
        advice=_advice(root, written),
    )


def _is_reported(written: str) -> bool:
    """Whether BC703 or BC705 reports it: a path of one machine, or a variable that is not filled."""
    return Path(written).is_absolute() or any(sign in written for sign in "$%~")


def _advice(root: Path, written: str) -> str:
    try:
        others = [entry.name for entry in os.scandir(root.parent) if not entry.name.startswith(".")]
    except OSError:
        others = []
    guess = nearest(root.name, others)
    if guess is None:
        return "Create the folder, or correct the path, which is relative to this file."
    return f"Did you mean {written.removesuffix(root.name) + guess!r}?"


RULE = Rule(
    code="BC241",
    name="missing-root",
    severity=Severity.WARNING,
    finds="The root of a corpus, relative to the file that declares it, does not exist.",
    why="The corpus cannot be indexed, so its retrievers find nothing new.",
    instead=(
        "Correct the path. If the folder is created later, suppress the finding with this as its "
        "reason."
    ),
    bad="""\
kind: corpus
name: handbook
config: {root: hanbook}  # <- BC241
"""
    + ASKING,
    good="""\
kind: corpus
name: handbook
config: {root: handbook}
"""
    + ASKING,
    check=_check,
    depends_on=frozenset(),
)
