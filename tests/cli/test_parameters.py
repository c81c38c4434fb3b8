"""The fields of a dataclass are the parameters of a command."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import signature
from typing import Annotated

import pytest

from biblicus_context.cli.options.parameters import as_command


@dataclass(frozen=True)
class Place:
    path: Annotated[str, "where"] = "here"
    deep: bool = False


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """About it."""

    place: Place
    name: str
    count: int = 1


@pytest.fixture
def received() -> list[Arguments]:
    return []


def test_fields_of_nested_dataclasses_become_parameters_with_their_types_and_defaults(received):
    command = as_command(Arguments, received.append)
    parameters = signature(command).parameters
    assert list(parameters) == ["name", "path", "deep", "count"]
    assert parameters["path"].annotation == Annotated[str, "where"]
    assert parameters["path"].default == "here"
    assert command.__doc__ == "About it."


def test_the_function_gets_one_dataclass(received):
    as_command(Arguments, received.append)(name="a", path="there", deep=True, count=2)
    assert received == [Arguments(place=Place("there", deep=True), name="a", count=2)]
