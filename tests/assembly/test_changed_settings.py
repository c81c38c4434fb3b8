"""A program changes settings of a plan's retrievers without a copy of the plan."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from biblicus_context import ContextAssembler, InputError
from tests.assembly.fakes import Shelf

PLAN = """\
kind: context
name: main
policy: {input_budget: {max_tokens: 500}}
messages: [{type: context, name: notes}, {type: context, name: both}]
---
kind: retriever
name: notes
config: {limit: 3, other: {a: 1, b: 2}}
---
kind: retriever
name: both
config: {retriever_id: combined, of: [notes, {name: files, limit: 9}]}
---
kind: retriever
name: files
config: {}
"""


def asked(folder: Path, **settings: Any) -> dict[str, Shelf]:
    """The retrievers, after one call."""
    (folder / "plan.yaml").write_text(PLAN, "utf-8")
    shelves = {"notes": Shelf(["note"]), "files": Shelf([f"file {n}" for n in range(20)])}
    assembler = ContextAssembler.from_path(
        folder / "plan.yaml", retriever_functions=shelves, retriever_settings=settings
    )
    assembler.assemble("main")
    return shelves


def test_mappings_are_merged_key_by_key(tmp_path: Path):
    request = asked(tmp_path, notes={"limit": 7, "other": {"b": 3}})["notes"].requests[0]
    assert request.limit == 7
    assert request.metadata["other"] == {"a": 1, "b": 3}


def test_settings_of_another_type_replace_what_is_declared(tmp_path: Path):
    request = asked(tmp_path, notes={"other": {"type": "new"}})["notes"].requests[0]
    assert request.metadata["other"] == {"type": "new"}


def test_sources_of_a_combined_retriever_are_changed_by_name(tmp_path: Path):
    changed = {"of": {"files": {"limit": 2}, "notes": {"limit": 1}}}
    shelves = asked(tmp_path, both=changed)
    assert [each.limit for each in shelves["files"].requests] == [2]


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"note": {}}, r"retriever_settings: no retriever of this name is declared: found 'note'"),
        ({"notes": 5}, r"retriever_settings\['notes'\]: settings are a mapping: found 'int'"),
        ({"both": {"of": {"file": {}}}}, r"\.of: no source has this name: found 'file'"),
    ],
)
def test_a_name_that_is_not_declared_is_an_error(tmp_path: Path, settings: Any, problem: str):
    with pytest.raises(InputError, match=problem):
        asked(tmp_path, **settings)
