"""Everything the reader refuses has a stable name, which is that of a rule."""

from __future__ import annotations

import json
from typing import get_args

import pytest
from hypothesis import given

from biblicus_context.errors import LoadError, ProjectError
from biblicus_context.reading import load_project, read_documents
from biblicus_context.reading.mistakes import Mistake
from tests.reading.examples import BAD
from tests.reading.mutations import with_one_mistake

NAMES = frozenset(get_args(Mistake))


@pytest.mark.parametrize("file", BAD, ids=lambda file: file.stem)
def test_every_mistake_of_a_bad_plan_has_a_name(file):
    with pytest.raises(LoadError) as raised:
        load_project(file)
    error = raised.value
    problems = error.problems if isinstance(error, ProjectError) else [error]
    assert {problem.mistake for problem in problems} <= NAMES


@given(with_one_mistake())
def test_every_mistake_of_a_mutated_plan_has_a_name(document):
    found = read_documents(json.dumps(document), "plan.yaml")
    assert {each.mistake for each in found if isinstance(each, LoadError)} <= NAMES


def test_paths_have_names_of_their_mistakes_too(tmp_path):
    for path, name in [(tmp_path, "empty-folder"), (tmp_path / "nosuch", "unreadable-file")]:
        with pytest.raises(LoadError) as raised:
            load_project(path)
        assert raised.value.mistake == name
