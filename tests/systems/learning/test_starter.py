"""What `init --system learning` writes is what a program would have recorded."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from biblicus_context import starter
from biblicus_context.systems.learning import LearningStore

DATA = Path(starter.__file__).parent / "systems" / "learning" / "data"


@pytest.mark.parametrize("name", ["memories", "experiences", "values"])
def test_the_data_are_what_the_store_writes_of_its_models(place: str | Path, name: str):
    """The hooks read them as models: an importance that is kept elsewhere would be the usual one."""
    lines = (DATA / f"learned-{name}.jsonl").read_text("utf-8").splitlines()
    store = LearningStore.open(place)
    own: Any = getattr(store, name)
    own.import_lines(lines, "local")
    ids = asyncio.run(own.ids("local"))
    models = asyncio.run(own.get(ids, "local"))
    asyncio.run(own.put(models, "again"))
    again = [json.loads(line) for line in own.export_lines("again")]
    assert again == [json.loads(line) for line in lines]
    store.close()
