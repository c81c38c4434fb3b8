"""Stems of the corpus that are spelt like a term."""

from __future__ import annotations

import json
import sqlite3
from typing import Final

import numpy as np
from rapidfuzz.distance import OSA

from biblicus_context.stores.sqlite.rank import vocabulary
from biblicus_context.stores.sqlite.rank.columns import integers
from biblicus_context.stores.sqlite.rank.needles import Spelling

_HOLDING: Final = "SELECT group_concat(doc) FROM spelling_places WHERE term = ?"
_STEMS: Final = "SELECT stem FROM stems WHERE row IN (SELECT value FROM json_each(?))"


def spellings(connection: sqlite3.Connection, stem: str, similarity: float) -> tuple[Spelling, ...]:
    """The stem itself, and every other one that is like it, weighted by how much it is.

    One wrong, missing, additional or swapped letter of n makes two stems 1 - 1/n alike.
    """
    whole = vocabulary.is_complete(connection)
    candidates = _candidates(connection, stem) if whole else vocabulary.indexed(connection)
    scored = {other: OSA.normalized_similarity(stem, other) for other in candidates}
    alike = {other: score for other, score in scored.items() if score >= similarity}
    return tuple(Spelling((each,), weight) for each, weight in sorted({**alike, stem: 1.0}.items()))


def _candidates(connection: sqlite3.Connection, stem: str) -> list[str]:
    """Stems that share a fifth of the trigrams: any stem of four letters with one mistake does."""
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
