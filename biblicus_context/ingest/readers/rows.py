"""Records of a file, which share blocks where they are very many."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from biblicus_context.ingest.section import Section

_MANY: Final = 10_000
"""Records of a file; each has a block of its own unless they are more."""


def of_many(records: Iterable[Section]) -> tuple[Section, ...]:
    """The records; as rows where a block for each would be many times as large as the file."""
    found = tuple(records)
    return tuple(replace(each, kind="row") for each in found) if len(found) > _MANY else found
