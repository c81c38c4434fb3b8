"""Invalid values are reported by place and problem."""

from __future__ import annotations

import pytest
from pydantic import BaseModel, ConfigDict, ValidationError, field_validator, model_validator

from biblicus_context.base.validation import first_invalid, invalid_values


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")

    size: int

    @field_validator("size")
    @classmethod
    def _even(cls, size: int) -> int:
        if size % 2:
            raise ValueError("the size must be even")
        return size


class Outer(BaseModel):
    inner: list[Inner]

    @model_validator(mode="after")
    def _some(self) -> Outer:
        if not self.inner:
            raise ValueError("at least one is needed")
        return self


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"inner": [{"size": 3}]}, "inner.0.size: the size must be even"),
        ({"inner": [{}]}, "inner.0.size: Field required"),
        ({"inner": []}, "at least one is needed"),
    ],
)
def test_the_first_invalid_value_is_named_with_its_place(value: object, message: str):
    with pytest.raises(ValidationError) as caught:
        Outer.model_validate(value)
    assert str(first_invalid(caught.value)) == message


def test_every_invalid_value_is_listed_in_order():
    with pytest.raises(ValidationError) as caught:
        Outer.model_validate({"inner": [{"sise": 1}]})
    missing, unknown = invalid_values(caught.value)
    assert (missing.place, missing.is_missing) == ("inner.0.size", True)
    assert (unknown.place, unknown.is_unknown_key) == ("inner.0.sise", True)
