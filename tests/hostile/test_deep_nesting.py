"""JSON of any depth, at every place where data comes in: an error with the place, never a crash."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any

import pytest

from biblicus_context import ContextAssembler, Corpus, InputError
from biblicus_context.errors import ContextError
from biblicus_context.stores import Filters

PLAN = {
    "messages": [
        {"type": "history", "compactor": {"type": "extractive"}},
        {"type": "user", "content": "{input.q}"},
    ],
    "policy": {"input_budget": {"max_tokens": 60}},
}
KEYED = {
    "beside the content": lambda key: {"role": "user", "content": "x", key: 1},
    "in a part": lambda key: {"role": "user", "content": [{"type": "text", "text": "a", key: 1}]},
}


def assembled(**call: Any) -> object:
    return ContextAssembler({"p": PLAN}).assemble("p", **{"inputs": {"q": "a"}, **call})


def nested(levels: int, *, mapping: bool) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = {"a": value} if mapping else [value]
    return value


DOORS: dict[str, Callable[[Any], object]] = {
    "history[0]": lambda v: assembled(history=[{"role": "user", "content": "a", "x": v}]),
    "history[0] ": lambda v: assembled(
        history=[{"role": "user", "content": [{"type": "text", "text": "a", "x": v}]}]
    ),
    "tools[0]": lambda v: assembled(tools=[{"name": "f", "parameters": v}]),
    "context 'p'": lambda v: assembled(inputs={"q": v}),
    "previous.messages": lambda v: assembled(previous={"messages": v}),
    "previous": lambda v: assembled(previous=v),
    "filters.metadata.a": lambda v: Filters.parse({"metadata": {"a": v}}),
    "filters.kind": lambda v: Filters.parse({"kind": {"a": v}}),
    "Retriever 'kb' config": lambda v: ContextAssembler(
        {"p": {"messages": [{"type": "context", "name": "kb"}]}},
        retriever_registry={"kb": {"config": {"filters": v}}},
        default_retriever=lambda _: None,
    ),
}


@pytest.mark.parametrize("levels", [600, 100_000])
@pytest.mark.parametrize("mapping", [True, False])
@pytest.mark.parametrize("door", DOORS)
def test_deep_data_is_an_error_with_its_place(door: str, mapping: bool, levels: int):
    with pytest.raises(ContextError) as raised:
        DOORS[door](nested(levels, mapping=mapping))
    assert f"{raised.value}".startswith(door.strip())
    assert len(f"{raised.value}") < 600


@pytest.mark.parametrize("door", DOORS)
def test_a_value_that_holds_itself_exponentially_often_is_an_error(door: str):
    value: Any = "x"
    for _ in range(60):
        value = [value, value]
    with pytest.raises(ContextError):
        DOORS[door](value)


@pytest.mark.parametrize("mapping", [True, False])
def test_deep_filters_of_a_corpus_are_an_error(tmp_path: Path, mapping: bool):
    (tmp_path / "a.md").write_text("A rose.")
    with Corpus.open(tmp_path) as corpus, pytest.raises(InputError, match="nested too deeply"):
        corpus.retriever({"filters": {"metadata": {"a": nested(600, mapping=mapping)}}})


class Odd:
    """Nothing that is done to it ends well."""

    __hash__ = None  # type: ignore[assignment]

    def __deepcopy__(self, memo: object) -> None:
        raise ZeroDivisionError

    def __eq__(self, other: object) -> bool:
        raise ZeroDivisionError


@pytest.mark.parametrize(
    "filters", [{"tags": "{input.tags}"}, {"metadata": {"a": ["{input.tags}"]}}]
)
@pytest.mark.parametrize("value", [nested(500, mapping=False), nested(500, mapping=True), Lock(), Odd(), [Lock()]])  # fmt: skip
def test_values_of_a_call_in_filters_are_data(filters: Any, value: object):
    assembler = ContextAssembler(
        {"plan": {"messages": [{"type": "context", "name": "kb"}]}},
        {"kb": {"config": {"query": "x", "filters": filters}}},
        retriever_functions={"kb": lambda _: None},
    )
    with pytest.raises(InputError, match=r"retriever 'kb' filters: "):
        assembler.assemble("plan", inputs={"tags": value})


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, json.dumps([[[1]]])])
def test_a_previous_result_of_deep_json_is_an_error(text: str):
    with pytest.raises(InputError, match="previous"):
        assembled(previous=text)


@pytest.mark.parametrize("key", [1, None, 1.5, b"x", (1, 2)])
@pytest.mark.parametrize("where", KEYED)
def test_a_key_that_is_no_text_is_an_error_also_with_a_compactor(where: str, key: object):
    history = [KEYED[where](key), *({"role": "user", "content": "word " * 100} for _ in range(3))]
    with pytest.raises(InputError, match=r"history\[0\].*keys must be text"):
        assembled(history=history)


@pytest.mark.parametrize(
    "value",
    [memoryview(b"x"), 10**5_000, iter([1])],
    ids=["memory", "a huge number", "an iterator"],
)
@pytest.mark.parametrize(
    "part", [lambda v: {"type": "a", "x": v}, lambda v: {"type": "a", "media_type": v, "data": v}]
)
def test_what_is_no_json_is_an_error_or_text(part: Callable[[Any], Any], value: object):
    with suppress(InputError):
        assembled(history=[{"role": "user", "content": [part(value)]}])
