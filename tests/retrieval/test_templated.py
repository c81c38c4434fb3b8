"""Settings with placeholders get their values for each call."""

from __future__ import annotations

import pytest

from biblicus_context.errors import TemplateError
from biblicus_context.retrieval.templated import filled, has_placeholders
from biblicus_context.stores.globs import Globs

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
def test_a_value_is_no_pattern_of_paths(value: object, at: str):
    names = {"input": {"who": value}}
    given = filled(["{input.who}"], names, place=at, at=at)[0]
    texts = given if isinstance(given, list) else [given]
    said = value if isinstance(value, list) else [value]
    for text, own in zip(texts, said, strict=True):
        assert Globs([text]).match(own)
        assert not Globs([text]).match("secrets")
    assert filled("{input.who}", names, place="rank", at="rank.proximity.path") == value
