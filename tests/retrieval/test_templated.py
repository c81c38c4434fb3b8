"""Settings with placeholders get their values for each call."""

from __future__ import annotations

from collections import deque
from types import SimpleNamespace

import pytest

from biblicus_context.base.globs import Globs
from biblicus_context.errors import InputError, TemplateError
from biblicus_context.retrieval.requests.templates import filled, has_placeholders

NAMES = {"input": {"folder": "guides", "tags": ["a", "b"], "least": 0.5, "none": None}}


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("{input.folder}/**", "guides/**"),
        ("{input.tags}", ["a", "b"]),
        ("{input.least}", 0.5),
        ("{input.none}", None),
        ("tags: {input.tags}", 'tags: ["a","b"]'),
        ("{other.name}", "{other.name}"),
        ({"path": ["{input.folder}", 3]}, {"path": ["guides", 3]}),
        (True, True),
    ],
)
def test_a_text_that_is_one_placeholder_becomes_the_value_itself(setting: object, value: object):
    assert filled(setting, NAMES, place="filters") == value


def test_an_unknown_name_is_answered_with_the_nearest_one():
    with pytest.raises(TemplateError, match=r"filters, line 1: unknown name.*'folder'"):
        filled({"path": "{input.fodler}"}, NAMES, place="filters")


def test_a_value_is_never_looked_into_for_placeholders():
    names = {"input": {"a": "{input.b}", "b": "secret"}}
    assert filled(["{input.a}", "x{input.a}"], names, place="filters") == [
        "{input.b}",
        "x{input.b}",
    ]


def test_settings_without_placeholders_are_known():
    assert has_placeholders({"a": [{"b": "{input.x}"}]})
    assert not has_placeholders({"a": ["{}", 3, None, {"b": "{ x }"}]})


@pytest.mark.parametrize("value", ["**", "?[a]*", ["**", "b"]])
@pytest.mark.parametrize("at", ["documents", "from", "filters.path"])
def test_a_value_is_not_a_path_pattern(value: object, at: str):
    names = {"input": {"who": value}}
    given = filled(["{input.who}"], names, place=at, at=at)[0]
    texts = given if isinstance(given, list) else [given]
    said = value if isinstance(value, list) else [value]
    for text, own in zip(texts, said, strict=True):
        assert Globs([text]).match(own)
        assert not Globs([text]).match("secrets")
    assert filled("{input.who}", names, place="rank", at="rank.proximity.path") == value


class Said:
    def __str__(self) -> str:
        return "**"


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("{input.of.who}", SimpleNamespace(who="**")),
        ("{input.of.who}", SimpleNamespace(who=["**"])),
        ("{input.of}", {"**"}),
        ("x/{input.of}", Said()),
        ("x/{input.of.who}", SimpleNamespace(who="../**")),
    ],
)
def test_the_text_of_an_object_is_not_a_pattern_either(setting: str, value: object):
    given = filled(setting, {"input": {"of": value}}, place="documents", at="documents")
    for text in [given] if isinstance(given, str) else given:
        assert not Globs([text]).match("secrets")
        assert not Globs([text]).match("x/secrets")


@pytest.mark.parametrize("value", [deque(["**"]), {"**": 1}.keys(), iter(["**"]), {"**": 1}])
def test_names_of_files_come_as_text_or_in_a_list(value: object):
    with pytest.raises(InputError, match=r"from: a name or a list of names: found"):
        filled("{input.of}", {"input": {"of": value}}, place="from", at="from")


def test_only_what_a_pattern_names_is_looked_at():
    endless: dict[str, object] = {"name": "a"}
    endless["self"] = endless
    assert filled("{input.name}/*", {"input": endless}, place="from", at="from") == "a/*"
