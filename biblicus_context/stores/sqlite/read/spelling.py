"""Stems of the collection that may be spelt like a term."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import Final

from biblicus_context.stores.sqlite.read.packs import integers
from biblicus_context.stores.sqlite.write import vocabulary

_HOLDING: Final = "SELECT group_concat(doc) FROM spelling_places WHERE term = ?"
_STEMS: Final = "SELECT stem FROM stems WHERE row IN (SELECT value FROM json_each(?))"


def spelt_like(connection: sqlite3.Connection, stems: Sequence[str]) -> dict[str, list[str]]:
    """For each stem those that share a fifth of its trigrams; all of them while some are not listed yet."""
    if not vocabulary.is_complete(connection):
        return dict.fromkeys(stems, vocabulary.indexed(connection))
    return {each: _sharing(connection, each) for each in stems}


def _sharing(connection: sqlite3.Connection, stem: str) -> list[str]:
    """Any stem of four letters with one mistake shares a fifth."""
    import numpy as np  # heavy, and only rankings need it

    wanted = trigrams(stem)
    found = [
        integers(connection.execute(_HOLDING, (each,)).fetchone()[0]) for each in sorted(wanted)
    ]
    rows, shared = np.unique(np.concatenate(found), return_counts=True)
    enough = rows[shared * 5 >= len(wanted)].tolist()
    return [stem for (stem,) in connection.execute(_STEMS, (json.dumps(enough),))]


def trigrams(stem: str) -> set[str]:
    """The runs of three letters of a stem, with the spaces around it."""
    padded = f"  {stem} "
    return {padded[n : n + 3] for n in range(len(padded) - 2)}
