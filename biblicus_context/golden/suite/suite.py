"""A file of golden tests becomes a typed suite that remembers the place of everything."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from biblicus_context.errors import LoadError, ProjectError
from biblicus_context.reading.check import check
from biblicus_context.reading.load import refused
from biblicus_context.reading.yaml.documents import read_trees
from biblicus_context.reading.yaml.tree import Place, Tree, Value
from biblicus_context.spec.contexts_test import TEST_KIND, CallSpec, ContextsTest

_BEGIN = f"Begin with 'kind: {TEST_KIND}' and 'cases:'."
_ONE_DOCUMENT = "Move its cases into the first one, or into another file."


@dataclass(frozen=True)
class Suite:
    """The golden tests of one file."""

    file: Path
    spec: ContextsTest
    tree: Tree = field(repr=False)

    @property
    def calls(self) -> Iterator[CallSpec]:
        """Everything in the file that describes a call: the defaults, the cases and their turns."""
        if self.spec.defaults is not None:
            yield self.spec.defaults
        for case in self.spec.cases:
            yield case
            yield from case.turns or ()


def read_suite(data: bytes | str, file: Path) -> Suite:
    """The suite in a file's content; raises LoadError, or a ProjectError that lists several.

    >>> text = "kind: contexts-test\\ncases: [{name: a plan without text, context: bare}]\\n"
    >>> [case.name for case in read_suite(text, Path("bare.test.yaml")).spec.cases]
    ['a plan without text']
    """
    found = list(read_trees(data, str(file)))
    problems = [_reworded(each) for each in found if isinstance(each, LoadError)]
    trees = [each for each in found if isinstance(each, Tree)]
    suites = []
    for tree in trees[:1]:
        suite = _declared(tree, file)
        if isinstance(suite, Suite):
            suites.append(suite)
            problems += _repeated_names(suite)
        else:
            problems += suite
    problems += (_second_document(tree) for tree in trees[1:])
    if len(problems) == 1:
        raise problems[0]
    if problems:
        raise ProjectError(problems)
    return suites[0]


def proven_test(document: Value) -> ContextsTest | None:
    """The golden tests of a document, if typed reading alone shows that it fits the schema."""
    if not isinstance(document, dict) or document.get("kind") != TEST_KIND:
        return None
    fields = {key: value for key, value in document.items() if key != "kind"}
    try:
        return ContextsTest.model_validate_json(json.dumps(fields), strict=True)
    except ValidationError:
        return None


def _declared(tree: Tree, file: Path) -> Suite | list[LoadError]:
    known = proven_test(tree.root.value)
    if known is not None:
        return Suite(file, known, tree)
    problems = check(tree, "contexts-test")
    if problems:
        return problems
    assert isinstance(tree.root.value, dict)
    fields = {key: value for key, value in tree.root.value.items() if key != "kind"}
    try:
        return Suite(file, ContextsTest.model_validate(fields), tree)
    except ValidationError as error:
        return list(refused(tree, error))


def _repeated_names(suite: Suite) -> Iterator[LoadError]:
    first: dict[str, Place] = {}
    for number, case in enumerate(suite.spec.cases):
        place = suite.tree.at(["cases", number, "name"]).place
        if case.name in first:
            fix = f"The first one is in line {first[case.name].line}: rename one of them."
            problem = "two cases have the same name"
            yield suite.tree.error(problem, place, found=case.name, fix=fix)
        first.setdefault(case.name, place)


def _second_document(tree: Tree) -> LoadError:
    problem = "a golden test must be one document"
    return tree.error(problem, tree.root.place, fix=_ONE_DOCUMENT)


def _reworded(error: LoadError) -> LoadError:
    """For an empty file, say how a test begins instead of how a plan does."""
    if error.mistake != "empty-document":
        return error
    return LoadError(
        error.problem,
        file=error.file,
        line=error.line,
        column=error.column,
        fix=_BEGIN,
        mistake=error.mistake,
    )
