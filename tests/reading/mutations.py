"""Good documents with one mistake each, for properties that have to hold for any of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from hypothesis import strategies as st

from biblicus_context.reading.inheritance import WholeTree, whole_trees
from biblicus_context.reading.yaml.documents import read_trees
from tests.reading.examples import GOOD

DOCUMENTS: list[Any] = [
    whole.tree.root.value
    for file in GOOD
    for whole in whole_trees([*read_trees(file.read_bytes(), file.name)])
    if isinstance(whole, WholeTree)
]
# No true, and no number as text: models convert those for Python's sake, and files may not say them.
WRONG_VALUES = ("a text", 7, -1, 0.5, None, ["a text"])
WRONG_MAPPING = {"of": "something"}


def paths(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Every path in a document but the empty one."""
    parts = value.items() if isinstance(value, dict) else enumerate(value)
    for step, part in parts:
        yield (*path, step)
        if isinstance(part, dict | list):
            yield from paths(part, (*path, step))


def is_free(path: tuple[str | int, ...]) -> bool:
    """Whether a path leads to what the models keep as it is, whatever it may be."""
    return bool({"vars", "config", "compactor", "default", "example"}.intersection(path))


@st.composite
def with_one_mistake(
    draw: st.DrawFn,
    only: Callable[[tuple[str | int, ...]], bool] = lambda path: not is_free(path),
    values: Sequence[object] = (*WRONG_VALUES, WRONG_MAPPING),
    kind: str | None = None,
) -> dict[str, Any]:
    """A good document with one key or value changed, added or taken away."""
    known = [each for each in DOCUMENTS if kind in (None, each["kind"])]
    candidates = [each for each in known if any(map(only, paths(each)))]
    document = json.loads(json.dumps(draw(st.sampled_from(candidates))))
    path = draw(st.sampled_from(list(filter(only, paths(document)))))
    parent: Any = document
    for step in path[:-1]:
        parent = parent[step]
    change = draw(st.sampled_from(("replace", "remove", "rename", "add")))
    if change == "replace" or not isinstance(parent, dict):
        parent[path[-1]] = draw(st.sampled_from(values))
    elif change == "add":
        parent["unheard_of"] = draw(st.sampled_from(values))
    else:
        value = parent.pop(path[-1])
        if change == "rename":
            parent[f"{path[-1]}x"] = value
    return document
