"""Every good test file is read, and every bad one gets exactly the errors that it announces."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from biblicus_context.errors import LoadError, ProjectError
from biblicus_context.golden.suite.suite import read_suite
from biblicus_context.reading.shipped import shipped
from tests.reading.examples import Expectation, expectations, is_beyond_the_schema

FILES = Path(__file__).parent / "files"
GOOD = sorted(FILES.glob("good/*.yaml"))
BAD = sorted(FILES.glob("bad/*.yaml"))


def _name(file: Path) -> str:
    return file.name.removesuffix(".test.yaml")


def _problems(file: Path) -> list[LoadError]:
    try:
        read_suite(file.read_bytes(), file)
    except ProjectError as error:
        return list(error.problems)
    except LoadError as error:
        return [error]
    return []


@pytest.mark.parametrize("file", GOOD, ids=_name)
def test_a_good_test_is_read(file: Path) -> None:
    assert read_suite(file.read_bytes(), file).spec.cases


@pytest.mark.parametrize("file", BAD, ids=_name)
def test_a_bad_test_gets_exactly_the_errors_it_announces(file: Path) -> None:
    expected = expectations(file)
    problems = _problems(file)
    found = [
        each._replace(line=problem.line, column=problem.column)
        if each.text in str(problem)
        else Expectation(problem.line or 0, problem.column or 0, str(problem))
        for problem, each in zip(problems, expected, strict=False)
    ]
    assert found == expected
    assert len(problems) == len(expected) > 0
    assert all(problem.file == str(file) for problem in problems)


@pytest.mark.parametrize("file", [*GOOD, *BAD], ids=_name)
def test_an_example_tells_editors_its_schema(file: Path) -> None:
    begin, schema = file.read_text(encoding="utf-8").splitlines()[0].split("$schema=")
    assert begin == "# yaml-language-server: "
    assert (file.parent / schema).resolve() == shipped("schemas") / "contexts-test.schema.json"


def test_editors_and_the_reader_judge_every_test_alike() -> None:
    files = [file for file in [*GOOD, *BAD] if not is_beyond_the_schema(file)]
    schema = shipped("schemas") / "contexts-test.schema.json"
    command = ["check_jsonschema", "--schemafile", str(schema), "--output-format", "json"]
    finished = subprocess.run(
        [sys.executable, "-m", *command, *map(str, files)],
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert finished.stdout, finished.stderr
    report = json.loads(finished.stdout)
    refused = {each["filename"] for each in [*report["errors"], *report["parse_errors"]]}
    assert {file.name: str(file) not in refused for file in files} == {
        file.name: not _problems(file) for file in files
    }
