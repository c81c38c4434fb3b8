"""Good tests with one mistake each, for properties that have to hold for any of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from biblicus_context.reading.yaml.documents import read_trees
from biblicus_context.reading.yaml.tree import Tree
from tests.golden.test_examples import GOOD
from tests.reading.mutations import WRONG_MAPPING, WRONG_VALUES, paths

DOCUMENTS: list[Any] = [
    tree.root.value
    for file in GOOD
    for tree in read_trees(file.read_bytes(), file.name)
    if isinstance(tree, Tree)
]
_FREE = ("inputs", "template_context", "metadata", "tool_calls", "function_call", "tools")
_BY_NAME = ("packs", "parts", "compactors")


def is_free(path: tuple[str | int, ...]) -> bool:
    """Whether a path leads to what the models keep as it is, or to a name that may be any."""
    inside = any(key in path[:-1] for key in _FREE)
    is_part_of_content = "content" in path[:-1]
    return inside or is_part_of_content or (len(path) > 1 and path[-2] in _BY_NAME)


@st.composite
def with_one_mistake(
    draw: st.DrawFn, wrong: Sequence[object] = (*WRONG_VALUES, WRONG_MAPPING)
) -> dict[str, Any]:
    """A good test with one key or value changed, added or taken away."""
    document = json.loads(json.dumps(draw(st.sampled_from(DOCUMENTS))))
    candidates = [path for path in paths(document) if not is_free(path)]
    path = draw(st.sampled_from(candidates))
    parent: Any = document
    for step in path[:-1]:
        parent = parent[step]
    values = st.sampled_from(wrong)
    change = draw(st.sampled_from(("replace", "remove", "rename", "add")))
    if change == "replace" or not isinstance(parent, dict):
        parent[path[-1]] = draw(values)
    elif change == "add":
        parent["unheard_of"] = draw(values)
    else:
        value = parent.pop(path[-1])
        if change == "rename":
            parent[f"{path[-1]}x"] = value
    return document
