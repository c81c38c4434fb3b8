"""Placeholders in text, and the values that take their place."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from types import MappingProxyType, SimpleNamespace
from typing import NamedTuple

import pytest
from hypothesis import given, settings, strategies as st
from pydantic import BaseModel

from biblicus_context.errors import TemplateError
from biblicus_context.text.templates.placeholders import fill, names_in
from tests.pace import within

MEGABYTE = 1_000_000


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True, slots=True)
class Order:
    """A slotted dataclass."""

    number: int
    items: list[str] = field(default_factory=list)


class Point(NamedTuple):
    """A named tuple."""

    x: int
    y: int


class Account(BaseModel, extra="allow"):
    """A model with a field nobody declared."""

    owner: str


class Guarded:
    """An object whose computed parts must not be computed."""

    def __init__(self) -> None:
        self.plain = "yes"
        self._secret = "no"

    def __getattr__(self, name: str) -> object:
        raise AssertionError(f"{name} was asked for")

    @property
    def computed(self) -> object:
        raise AssertionError("a property ran")

    def method(self) -> object:
        raise AssertionError("a method ran")


NAMES = {
    "input": {
        "question": "Why?",
        "items": [{"name": "first"}, "second"],
        "nothing": None,
        "yes": True,
        "ratio": 0.5,
        "größe": "XL",
        "_hidden": "never",
        "tricky": "{input.question} {{ input.question }} {% raw %}",
    },
    "order": Order(7, ["tea"]),
    "account": Account.model_validate({"owner": "Ada", "plan": "free"}),
    "point": Point(1, 2),
    "day": date(2024, 5, 6),
    "guarded": Guarded(),
    "colour": Colour.RED,
    "view": MappingProxyType({"a": 1}),
    "space": SimpleNamespace(a="b"),
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{input.question}", "Why?"),
        ("{input.items.0.name} {input.items.1}", "first second"),
        ("[{input.nothing}]", "[]"),
        ("{input.yes} {input.ratio}", "True 0.5"),
        ("{input.größe}", "XL"),
        ("{input.items}", '[{"name":"first"},"second"]'),
        ("{order.number} {order.items.0}", "7 tea"),
        ("{account.owner} {account.plan}", "Ada free"),
        ("{point.x} {point.1} {point}", "1 2 [1,2]"),
        ("{day.year} {day}", "2024 2024-05-06"),
        ("{guarded.plain}", "yes"),
        ("{colour}", "red"),
        ("{view} {view.a}", '{"a":1} 1'),
        ("{space.a}", "b"),
        ('{"key": {input.question}}', '{"key": Why?}'),
        ("{input.question}{input.question}", "Why?Why?"),
    ],
)
def test_a_path_stands_for_its_value(text: str, expected: str) -> None:
    assert fill(text, NAMES) == expected


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "{{",
        "}}{{",
        "{{input.question}}",
        "{ input.question }",
        "{a b}",
        '{"json": [1, {"a": null}]}',
        "function f() { return {input: 1}; }",
        "{unknown}",
        "{unknown.input}",
        "{input.}",
        "{.input}",
        "{input..question}",
        "{input[0]}",
        "{input.question!r:>10}",
        "{0}",
        "{_private}",
        "{input._hidden}",
        "{order.__class__}",
        "{input.question.__init__.__globals__}",
        "{input.question",
        "input.question}",
        "{{ input.question }} {% if x %}",
        "\r\n{\r\n}",
    ],
)
def test_everything_else_in_braces_stays_as_it_is(text: str) -> None:
    assert fill(text, NAMES) == text
    assert fill(text, {}) == text


@given(st.text("{}._ab0 \n\"':", max_size=80))
def test_without_names_a_text_is_unchanged(text: str) -> None:
    assert fill(text, {}) == text


def test_values_are_never_looked_into_again() -> None:
    assert fill("{input.tricky}", NAMES) == "{input.question} {{ input.question }} {% raw %}"


@given(st.text("{}input.question%# ", max_size=40), st.text(max_size=10))
def test_any_value_arrives_as_it_is(value: str, around: str) -> None:
    text = fill(f"{around.replace('{', '')}{{value}}", {"value": value, "input": "x"})

    assert text == around.replace("{", "") + value


@pytest.mark.parametrize(
    ("text", "found", "guess"),
    [
        ("{input.quesiton}", "quesiton", "question"),
        ("{order.numbr}", "numbr", "number"),
        ("{account.plam}", "plam", "plan"),
        ("{input.items.5}", "5", None),
        ("{input.nothing.deep}", "deep", None),
        ("{guarded.computed}", "computed", None),
        ("{guarded.method}", "method", None),
        ("{input.items.append}", "append", None),
        ("{view.items}", "items", None),
    ],
)
def test_an_unknown_part_of_something_known_is_an_error(
    text: str, found: str, guess: str | None
) -> None:
    with pytest.raises(TemplateError) as caught:
        fill(f"line one\n{text}", NAMES, place="support.messages[0].content")

    message = str(caught.value)
    assert message.startswith("support.messages[0].content, line 2: unknown name in {")
    assert f"found '{found}'" in message
    assert (f"Did you mean '{guess}'?" in message) == (guess is not None)


def test_strict_text_knows_every_name_it_uses() -> None:
    with pytest.raises(TemplateError, match=r"line 2: .*found 'ordr'.*Did you mean 'order'\?"):
        fill("{input.question}\n{ordr.number}", NAMES, strict=True)


def test_an_error_stays_readable_however_large_the_values_are() -> None:
    names = {"input": {f"key{number}": "x" * 10_000 for number in range(10_000)}}

    with pytest.raises(TemplateError) as caught:
        fill("{input.kez99}", names)

    assert len(str(caught.value)) < 500
    assert "Did you mean 'key99" in str(caught.value)


def test_looking_a_name_up_changes_nothing() -> None:
    made: defaultdict[str, list[int]] = defaultdict(list)

    with pytest.raises(TemplateError):
        fill("{input.missing}", {"input": made})

    assert not made


def test_a_set_is_written_in_the_same_order_everywhere() -> None:
    assert fill("{v}", {"v": {"b", "c", "a"}}) == '["a","b","c"]'


def test_a_key_comes_before_a_field_of_the_same_name() -> None:
    class Table(OrderedDict[str, str]):
        pass

    table = Table(a="key")
    table.a = "field"  # type: ignore[attr-defined]
    table.b = "field"  # type: ignore[attr-defined]

    assert fill("{t.a} {t.b}", {"t": table}) == "key field"


def test_a_value_that_cannot_be_written_is_an_error_that_names_it() -> None:
    circle: list[object] = []
    circle.append(circle)

    with pytest.raises(TemplateError, match=r"the value of \{v\} cannot be written"):
        fill("{v}", {"v": circle})


@pytest.mark.parametrize(
    "text",
    [
        "{" * MEGABYTE,
        "{a" * (MEGABYTE // 2),
        "{" + "a." * (MEGABYTE // 2),
        "{a.b" * (MEGABYTE // 4),
        "{" + "a" * MEGABYTE,
    ],
    ids=["braces", "openings", "path", "paths", "name"],
)
def test_a_megabyte_of_almost_placeholders_takes_linear_time(text: str) -> None:
    with within(2):
        assert fill(text, {"a": 1}) == text
        assert not names_in(text)


@settings(max_examples=2 * settings().max_examples)
@given(st.text("{}._ab0 ", max_size=60))
def test_the_names_in_a_text_are_those_that_are_filled(text: str) -> None:
    class Everything(dict[str, object]):
        def __contains__(self, name: object) -> bool:
            return True

        def __getitem__(self, name: str) -> object:
            asked.append(name)
            return self

    asked: list[str] = []
    fill(text, Everything())

    assert {part for path in names_in(text) for part in path.split(".")} == set(asked)
