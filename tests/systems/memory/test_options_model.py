"""Options that are None have their defaults, however they are passed."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from biblicus_context.base.options import options_of
from biblicus_context.systems.memory import OptionsModel


class Paging(OptionsModel):
    limit: int = 10
    title: str | None = None


@pytest.mark.parametrize(
    "paging",
    [
        Paging(limit=None),
        options_of(Paging, {"limit": None}, {}),
        options_of(Paging, None, {"limit": None}),
        options_of(Paging, Paging(title=None), {}),
    ],
)
def test_none_is_the_default(paging: Paging):
    assert (paging.limit, paging.model_fields_set) == (10, set())


def test_options_do_not_change_and_have_no_others():
    with pytest.raises(ValidationError, match="frozen"):
        Paging().limit = 3
    with pytest.raises(ValidationError, match="limits"):
        Paging(limits=3)


def test_values_of_options_are_passed_on_as_they_are():
    inner = Paging(limit=3)

    class Outer(OptionsModel):
        paging: Paging = Paging()

    assert options_of(Outer, Outer(paging=inner), {}).paging is inner
