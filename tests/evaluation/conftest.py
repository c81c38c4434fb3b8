"""A collection of every sort of record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

RECORDS: list[dict[str, Any]] = [
    {"id": "tea", "text": "Green tea wants water of 80 degrees.", "metadata": {"title": "Tea"}},
    {"id": "rye", "text": "Rye bread keeps for a week in a linen bag."},
    {
        "id": "read",
        "text": 'def readAll(path):\n    """Every line of a file."""\n    return list(open(path))',
        "metadata": {"language": "python"},
    },
    *(
        {
            "id": f"{session}:{order}",
            "text": text,
            "metadata": {
                "collection": session,
                "session": session,
                "order": order,
                "speaker": "Ada",
                "time": None,
            },
        }
        for session in ("monday", "friday")
        for order, text in enumerate((f"It is {session}.", "The roses need pruning.", "In March."))
    ),
]
QUERIES: list[dict[str, Any]] = [
    {"id": "1", "text": "How hot is water for green tea?", "gold": ["tea"]},
    {"id": "2", "text": "read every line of a file", "gold": ["read"]},
    {
        "id": "3",
        "text": "When do roses need pruning?",
        "gold": ["friday:1", "friday:2"],
        "collection": "friday",
    },
]


def write(folder: Path, records: list[Any], queries: list[Any]) -> Path:
    folder.mkdir(exist_ok=True)
    for name, rows in (("docs", records), ("queries", queries)):
        lines = "".join(f"{json.dumps(row)}\n\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "sample", RECORDS, QUERIES)
