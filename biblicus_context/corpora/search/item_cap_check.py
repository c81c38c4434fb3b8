"""What is wrong with an `item_cap`, as far as that shows without the compactors of a project."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from biblicus_context.retrieval.select import CutNote
from biblicus_context.text.compaction import Compaction


def check_item_cap(cap: Any) -> None:
    """Raise a ContextError for a note with unknown names, or for wrong settings of a compactor."""
    if not isinstance(cap, Mapping):
        return
    note, compactor = cap.get("cut_note"), cap.get("compactor")
    if isinstance(note, str):
        CutNote(note)
    if isinstance(compactor, Mapping):
        Compaction().check(compactor)
