"""A dataclass of options is one parameter of a command."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import signature
from typing import Annotated

from biblicus_context.cli.input.option_groups import flatten_options


@dataclass(frozen=True)
class ProjectOptions:
    path: Annotated[str, "where"] = "here"
    deep: bool = False


def command(name: str, place: ProjectOptions, count: int = 1) -> None:
    """About it."""
    SEEN.append((name, place, count))


SEEN: list[object] = []


def test_its_fields_become_parameters_with_their_types_and_defaults():
    parameters = signature(flatten_options(command)).parameters
    assert list(parameters) == ["name", "path", "deep", "count"]
    assert parameters["path"].annotation == Annotated[str, "where"]
    assert parameters["path"].default == "here"
    assert flatten_options(command).__doc__ == "About it."


def test_the_command_gets_it_whole():
    flatten_options(command)(name="a", path="there", deep=True, count=2)
    assert SEEN.pop() == ("a", ProjectOptions("there", deep=True), 2)


def test_a_command_without_one_is_called_as_it_is():
    def plain(name: str) -> None:
        SEEN.append(name)

    flatten_options(plain)(name="b")
    assert SEEN.pop() == "b"
