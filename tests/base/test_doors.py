"""A public call that fails on a wrong argument names it; one that works, or fails for another reason, is as before."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol, Self

import pytest
from pydantic import BaseModel, Field

from biblicus_context import InputError
from biblicus_context.base import door
from biblicus_context.base.doors import fits, worded

if TYPE_CHECKING:
    from decimal import Decimal


class Sized(BaseModel):
    size: int = Field(ge=1)


@door
class Shop:
    """Its methods say which argument is wrong."""

    def __init__(self, name: str) -> None:
        self.name = name.strip()

    @classmethod
    def of(cls, other: Self) -> Self:
        return cls(other.name)

    @staticmethod
    def doubled(number: int) -> int:
        return number.__index__() * 2

    def sizes(self, *numbers: int, **named: int) -> int:
        return sum(number + 0 for number in (*numbers, *named.values()))

    def sized(self, size: int) -> Sized:
        return Sized(size=size)

    def exact(self, price: Decimal) -> bool:
        return price.is_nan()

    def broken(self, name: str) -> None:
        raise KeyError(name)

    async def later(self, text: str) -> str:
        return text.upper()

    def joined(self, texts: Iterable[str] | None) -> str:
        return ", ".join(texts or ())

    def first(self, texts: Iterable[str]) -> str:
        return next(iter(texts)).strip()

    async def lengths(self, texts: Iterator[str]) -> list[int]:
        return [len(each.strip()) for each in texts]

    def built(self, model: type[BaseModel], of: Callable[[], str]) -> str:
        return model.model_validate({}).model_dump_json() + of()

    def letters(self, text: str) -> Iterator[str]:
        yield from text.upper()
        return (yield "end")


@pytest.mark.parametrize(
    ("call", "place"),
    [
        (lambda: Shop(5), "name: a text is expected: found 5"),
        (lambda: Shop.of("a"), "other: an object of Shop is expected: found 'a'"),
        (lambda: Shop.doubled("a"), "number: a whole number between"),
        (lambda: Shop("a").sizes(1, None), r"numbers\[1\]: "),
        (lambda: Shop("a").sizes(a=[1]), "a: "),
        (lambda: Shop("a").exact(1), "price: an object of Decimal is expected"),
        (lambda: Shop("a").joined(each for each in ("a", 5)), r"texts\[1\]: a text is expected"),
        (lambda: Shop("a").joined(texts=iter([None])), r"texts\[0\]: a text is expected"),
        (lambda: asyncio.run(Shop("a").lengths(iter(["a", 5]))), r"texts\[1\]: a text"),
        (lambda: Shop("a").built(dict, str), "model: a class of BaseModel is expected"),
        (lambda: Shop("a").built(BaseModel, dict), "of: a callable .it returns: a text. is"),
        (lambda: Shop("a").sized(0), "size: Input should be greater than or equal to 1: found 0"),
        (lambda: asyncio.run(Shop("a").later(5)), "text: a text is expected"),
        (lambda: [*Shop("a").letters(5)], "text: a text is expected"),
    ],
)
def test_a_wrong_argument_is_named(call: Callable[[], Any], place: str):
    with pytest.raises(InputError, match=f"^{place}") as raised:
        call()
    assert raised.value.__cause__ is not None, "what failed inside can still be seen"


def test_what_works_is_as_before():
    assert Shop.of(Shop(" a ")).name == "a"
    assert Shop("a").sizes(1, b=2) == 3
    assert asyncio.run(Shop("a").later("b")) == "B"
    assert [*Shop("a").letters("ab")] == ["A", "B", "end"]
    assert inspect.iscoroutinefunction(Shop.later)
    assert inspect.isgeneratorfunction(Shop.letters)
    assert [*inspect.signature(Shop.sizes).parameters] == ["self", "numbers", "named"]


def test_what_is_read_once_is_read_once():
    numbers: Iterator[Any] = iter(["a", "b", 5])
    assert Shop("a").first(numbers) == "a"
    assert [*numbers] == ["b", 5], "nothing is read ahead"
    assert Shop("a").joined(each for each in ("a", "b")) == "a, b"


def test_what_a_generator_returns_is_returned():
    letters = Shop("a").letters("a")
    assert [next(letters), next(letters)] == ["A", "end"]
    with pytest.raises(StopIteration) as stopped:
        letters.send("returned")
    assert stopped.value.value == "returned"


def test_a_failure_of_ours_stays_what_it_is():
    with pytest.raises(KeyError):
        Shop("a").broken("a")
    with pytest.raises(TypeError, match="missing 1 required"):
        Shop("a").broken()  # type: ignore[call-arg]


class Named(Protocol):
    name: str

    def call(self) -> None: ...


@pytest.mark.parametrize(
    ("annotation", "right", "wrong"),
    [
        (str, ["", "a"], [b"a", None, 5]),
        (int, [0, -5], [True, 2.5, 10**400, 2**63, "5"]),
        (float, [0, 2.5, float("inf")], [True, float("nan"), "5", 10**400]),
        (bool, [True], [0, None]),
        (int | None, [None, 5], ["a"]),
        (Literal["a", "b"], ["a"], ["c", [], 5]),
        (Annotated[str, "x"], ["a"], [5]),
        (Sequence[str], [["a"], (), ["a", "b"]], ["a", [5], {"a"}, 5]),
        (Iterable[str], [["a"], {"a"}, iter("a")], ["a", [5], {"a": 1}]),
        (Mapping[str, int], [{}, {"a": 5}], [{5: 5}, {"a": "b"}, [("a", 5)]]),
        (tuple[str, int], [("a", 5)], [("a",), (5, "a"), ["a", 5]]),
        (Callable[[], Any], [len], [5, None]),
        (Callable[[int], str], [len, str, lambda: 5], [dict, None]),
        (Callable[[int], None], [len], [dict]),
        (Callable[[int], str | Path], [Path], [dict]),
        (datetime, [datetime.now(UTC)], ["now"]),
        (str | Path, ["a", Path("a")], [5]),
        (type[BaseModel], [BaseModel, Sized], ["a", dict]),
        (Named, [Shop], []),
        (Any, [5, None], []),
    ],
)
def test_values_fit_their_annotations(annotation: Any, right: list[Any], wrong: list[Any]):
    if annotation is Named:
        assert not fits("a", Named)
        return
    assert [fits(each, annotation) for each in right] == [True] * len(right)
    assert [fits(each, annotation) for each in wrong] == [False] * len(wrong)
    assert worded(annotation)
