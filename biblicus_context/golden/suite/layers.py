"""Defaults, case and turn are merged; the last one that sets a key wins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from biblicus_context.reading.yaml.tree import Step, Tree
from biblicus_context.spec.base import Spec
from biblicus_context.spec.contexts_test import CallSpec, CaseSpec
from biblicus_context.spec.expectation import ERROR_ALONE, Expectation

Path = tuple[Step, ...]


class CallLayer(NamedTuple):
    """One of the places that describe a call, and its path in the file."""

    spec: CallSpec
    path: Path


class ExpectedResult(NamedTuple):
    """The expectations of a call, and where each is written."""

    expect: Expectation
    paths: Mapping[str, Path]

    def place(self, path: Path) -> Path:
        """The path of an expectation in the file."""
        return (*self.paths.get(str(path[0]), ()), *path)


def laid_over(layers: Iterable[CallLayer]) -> CaseSpec:
    """All layers merged: the last one that sets a key wins; mappings are merged key by key."""
    said: dict[str, Any] = {"name": ""}
    for layer in layers:
        for key, value in _said(layer.spec).items():
            below = said.get(key)
            if isinstance(value, Mapping) and isinstance(below, Mapping):
                value = {**below, **value}  # noqa: PLW2901 - merged with earlier layers
            said[key] = value
    return CaseSpec.model_construct(**said)


def wanted(layers: Sequence[CallLayer], tree: Tree) -> ExpectedResult:
    """The merged expectations; an expected error replaces those of earlier layers."""
    said: dict[str, Any] = {}
    paths: dict[str, Path] = {}
    for layer in layers:
        own = _said(layer.spec.expect) if layer.spec.expect else {}
        if own.get("error") is not None:
            said, paths = {}, {}
        said.update(own)
        paths.update(dict.fromkeys(own, (*layer.path, "expect")))
    others = [key for key in said if key != "error"]
    if said.get("error") is not None and others:
        place = tree.key_place((*paths[others[0]], others[0]))
        error = tree.key_place((*paths["error"], "error"))
        raise tree.error(ERROR_ALONE, place, fix=f"The error is expected in line {error.line}.")
    return ExpectedResult(Expectation.model_construct(**said), paths)


def _said(spec: Spec) -> dict[str, Any]:
    """The keys that an author wrote, without the defaults of the model."""
    return {name: value for name, value in spec if name in spec.model_fields_set}
