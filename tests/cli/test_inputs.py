"""Inputs as people type them become values of the types that a context declares."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from biblicus_context.cli.input.call_files import inputs_for
from biblicus_context.errors import InputError
from biblicus_context.spec.context import InputSpec

CONTRACT = {
    "text": InputSpec(type="string", example="an example"),
    "any": InputSpec(example=[1]),
    "count": InputSpec(type="integer", default=1, example=5),
    "ratio": InputSpec(type="number"),
    "flag": InputSpec(type="boolean"),
    "tags": InputSpec(type="array"),
    "order": InputSpec(type="object", example={"id": 1}),
}


def typed(*pairs: str, filed=None, examples: bool = False):
    return inputs_for(CONTRACT, pairs, filed or {}, examples=examples)


@pytest.mark.parametrize(
    ("pair", "value"),
    [
        ("text=42", {"text": "42"}),
        ("text=", {"text": ""}),
        ("text=a=b", {"text": "a=b"}),
        ("any=[1]", {"any": "[1]"}),
        ("unknown=null", {"unknown": "null"}),
        ("count=42", {"count": 42}),
        ("ratio=0.5", {"ratio": 0.5}),
        ("flag=true", {"flag": True}),
        ('tags=["a"]', {"tags": ["a"]}),
        ('order={"id": "A-1"}', {"order": {"id": "A-1"}}),
        ("text=@@mention", {"text": "@mention"}),
    ],
)
def test_a_value_is_text_or_json_as_the_context_declares(pair, value):
    assert typed(pair) == value


@given(st.text())
def test_any_text_can_be_typed(text):
    written = f"@{text}" if text.startswith("@") else text
    assert typed(f"text={written}") == {"text": text}


def test_what_is_typed_goes_before_the_file_and_the_file_before_examples():
    filed = {"text": "from the file", "order": {"id": 2}}
    assert typed("text=typed", filed=filed, examples=True) == {
        "text": "typed",
        "any": [1],
        "order": {"id": 2},
    }


def test_a_value_may_be_what_a_file_holds(tmp_path):
    (tmp_path / "long text.txt").write_text("line\nline\n", encoding="utf-8")
    (tmp_path / "order.json").write_text('{"id": 3}', encoding="utf-8")
    pairs = f"text=@{tmp_path}/long text.txt", f"order=@{tmp_path}/order.json"
    assert typed(*pairs) == {"text": "line\nline\n", "order": {"id": 3}}


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        ("question", "an input must have the form NAME=VALUE: found 'question'"),
        ("=x", "an input must have the form NAME=VALUE: found '=x'"),
        (
            "order=A-1",
            "input 'order' has type object and must be valid JSON: found 'A-1'. "
            'Example: {"id": 1}',
        ),
        ("tags=" + "[" * 100_000, "input 'tags' has type array and must be valid JSON"),
        (
            "text=@nowhere.txt",
            "input 'text': nowhere.txt: cannot be read: No such file or directory. "
            "For a literal @ at the start, write text=@@...",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused(pair, said):
    with pytest.raises(InputError) as refused:
        typed(pair)
    assert str(refused.value).startswith(said)
