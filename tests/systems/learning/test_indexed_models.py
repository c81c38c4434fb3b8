"""Models are read from the hits in an index of files, each workspace for itself."""

from __future__ import annotations

import asyncio
from pathlib import Path

from biblicus_context.systems.learning import CodeUnit, IndexedModels, code_unit
from tests.ingest.build import written


def test_units_of_code_are_found_in_their_own_workspace(tmp_path: Path):
    """One of each file, with figures that fall."""
    files = {f"part{n}.py": f"def unit{n}():\n    return {n}\n" for n in range(3)}
    root = written(tmp_path / "project", files)
    code = IndexedModels[CodeUnit](tmp_path / "index", code_unit, kind="code")
    assert asyncio.run(code.relevant("unit1", "acme", limit=5)) == []
    assert len(asyncio.run(code.ingest(root, "acme")).added) == 3
    found = asyncio.run(code.relevant("unit1", "acme", limit=2))
    assert found[0].item.qualified_name == "unit1"
    assert 1 >= found[0].relevance >= found[1].relevance >= 0
    assert len(found) == 2
    assert asyncio.run(code.relevant("unit1", "globex", limit=2)) == []
    code.close()


def test_a_model_is_a_document_or_a_section_of_one(tmp_path: Path):
    """Short functions share no block where each is a model."""
    functions = [f"def unit{n}():\n    return {n}\n" for n in range(3)]
    root = written(tmp_path / "project", {"units.py": "\n\n".join(functions)})
    every = {"unit0", "unit1", "unit2"}
    for each, expected in (("document", {"unit0"}), ("section", every)):
        models = IndexedModels[CodeUnit](tmp_path / each, code_unit, kind="code", each=each)
        asyncio.run(models.ingest(root, "acme"))
        found = asyncio.run(models.relevant("unit", "acme", limit=5))
        assert {one.item.qualified_name for one in found} == expected
        models.close()
