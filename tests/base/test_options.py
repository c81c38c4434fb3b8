"""Options come together, by name, or both; a mistake names the option and the nearest valid one."""

from __future__ import annotations

import asyncio
from collections.abc import Sized
from typing import Any

import pytest
from pydantic import BaseModel, Field

from biblicus_context import InputError, PlanError, UnknownNameError
from biblicus_context.base.options import (
    also_named,
    options_named,
    options_of,
    require,
    require_counts,
    require_one_of,
    require_text,
)


class Paging(BaseModel, extra="forbid"):
    limit: int = Field(default=10, ge=1)
    offset: int = 0


class Listing(Paging):
    title: str = ""


def test_options_by_name_take_precedence():
    assert options_of(Paging, Paging(limit=3, offset=2), {"limit": 5}) == Paging(limit=5, offset=2)
    assert options_of(Paging, {"offset": 2}, {}) == Paging(offset=2)
    assert options_of(Paging, None, {}) == Paging()


def test_only_what_was_set_is_taken_over():
    assert options_of(Paging, Paging(offset=2), {}).model_fields_set == {"offset"}


def test_of_a_richer_model_the_known_options_are_taken():
    assert options_of(Paging, Listing(title="Teas", limit=2), {}) == Paging(limit=2)


@pytest.mark.parametrize(
    ("given", "more", "message"),
    [
        (
            {"limt": 3},
            {},
            "unknown option: found 'limt'. Valid: limit, offset. Did you mean 'limit'?",
        ),
        (None, {"limit": 0}, "limit: Input should be greater than or equal to 1: found 0"),
        (7, {}, "these are not options: found 'int'. Valid: Paging, a mapping"),
    ],
)
def test_a_mistake_says_what_is_valid(given: Any, more: dict[str, Any], message: str):
    with pytest.raises(InputError) as error:
        options_of(Paging, given, more)
    assert str(error.value) == message


@pytest.mark.parametrize("value", ["", "  \n", None, 7])
def test_a_blank_text_is_refused(value: object):
    with pytest.raises(InputError, match="query: a text that is not empty is expected"):
        require_text(query=value)
    require_text(query=" tea ")


def test_an_unknown_name_is_refused_with_the_nearest():
    with pytest.raises(
        InputError, match=r"way: unknown name: found 'upp'. Valid: up, down. Did you"
    ):
        require_one_of(["up", "down"], way="upp")
    require_one_of(["up", "down"], way="up")


def test_what_lacks_the_methods_of_a_protocol_is_refused():
    require(Sized, "Pass a list.", notes=[])
    with pytest.raises(InputError) as error:
        require(Sized, "Pass a list.", notes=7)
    assert str(error.value) == "notes: Sized expected: found 7. Pass a list."


@pytest.mark.parametrize("found", [0, -1, 1.5, True, "3", None])
def test_a_count_is_a_whole_number_from_1_on(found: object):
    """The caller chooses the error."""
    require_counts(limit=1)
    with pytest.raises(InputError, match="limit: a whole number from 1 on is expected"):
        require_counts(limit=found)
    with pytest.raises(PlanError):
        require_counts(PlanError, limit=found)


def test_options_may_be_named_or_passed():
    known = {"short": Paging(limit=3)}
    assert options_named("paging", Paging, "short", known) == Paging(limit=3)
    assert options_named("paging", Paging, {"limit": 4}, known) == Paging(limit=4)
    with pytest.raises(UnknownNameError, match=r"paging 'shrt' not defined.*short"):
        options_named("paging", Paging, "shrt", known)


def test_a_second_name_of_an_argument_reaches_the_function():
    async def find(query: str, limit: int = 1) -> tuple[str, int]:
        return query, limit

    named = also_named(find, words="query")
    calls = named("tea"), named(query="tea"), named(words="tea", limit=1)
    assert [asyncio.run(each) for each in calls] == [("tea", 1)] * 3
    with pytest.raises(InputError, match="the same argument twice"):
        asyncio.run(named(words="tea", query="tea"))
