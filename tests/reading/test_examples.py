"""Every good plan loads, and every bad one gets exactly the errors that it announces."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from biblicus_context.errors import LoadError, ProjectError
from biblicus_context.reading import PlanDocument, load_project, read_documents
from biblicus_context.reading.shipped import shipped
from tests.reading.examples import BAD, GOOD, Expectation, expectations, is_beyond_the_schema


def _name(file: Path) -> str:
    return file.stem


def _problems(file: Path) -> list[LoadError]:
    try:
        load_project(file)
    except ProjectError as error:
        return list(error.problems)
    except LoadError as error:
        return [error]
    return []


@pytest.mark.parametrize("file", GOOD, ids=_name)
def test_a_good_plan_loads(file):
    assert load_project(file).sources


@pytest.mark.parametrize("file", BAD, ids=_name)
def test_a_bad_plan_gets_exactly_the_errors_it_announces(file):
    expected = expectations(file)
    problems = _problems(file)
    found = [
        Expectation(problem.line, problem.column, expected.text)
        if expected.text in str(problem)
        else Expectation(problem.line, problem.column, str(problem))
        for problem, expected in zip(problems, expected, strict=False)
    ]
    assert found == expected
    assert len(problems) == len(expected)
    assert all(problem.file == str(file) for problem in problems)


def test_the_examples_are_many_and_no_bad_one_is_without_a_mistake():
    assert len(GOOD) >= 12
    assert len(BAD) >= 100
    assert [file.name for file in BAD if not expectations(file)] == []


def test_editors_and_the_loader_judge_every_document_alike(tmp_path):
    ours, files = {}, []
    for file in [*GOOD, *BAD]:
        if is_beyond_the_schema(file):
            continue
        for number, text in enumerate(_single_documents(file.read_bytes())):
            single = tmp_path / f"{file.parent.name}-{file.stem}-{number}.yaml"
            single.write_bytes(text)
            files.append(str(single))
            ours[str(single)] = all(
                isinstance(found, PlanDocument) for found in read_documents(text, single.name)
            )
    schema = shipped("schemas") / "project.schema.json"
    command = ["check_jsonschema", "--schemafile", str(schema), "--output-format", "json"]
    finished = subprocess.run(
        [sys.executable, "-m", *command, *files], capture_output=True, check=False, timeout=60
    )
    assert finished.stdout, finished.stderr
    report = json.loads(finished.stdout)
    refused = {each["filename"] for each in [*report["errors"], *report["parse_errors"]]}
    assert {file: file not in refused for file in files} == ours


def _single_documents(data: bytes) -> list[bytes]:
    """The documents of a file, for readers that take one only; comments alone are none."""
    chunks = re.split(rb"^(?=---\s)", data, flags=re.MULTILINE)
    spoken = [chunk for chunk in chunks if re.sub(rb"#.*|---|\s", b"", chunk)]
    return spoken or [data]
