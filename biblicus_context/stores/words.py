"""Texts and terms as rankings see them: split into words, each reduced to its stem."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from threading import Lock
from typing import Final, TypeAlias

Stems: TypeAlias = tuple[str, ...]

TOKENIZER: Final = "porter unicode61 remove_diacritics 2"
"""In the words of FTS5, which is used as a library here: the standard library has no other stemmer."""

_SCHEMA: Final = f"""
CREATE VIRTUAL TABLE words USING fts5 (text, content='', tokenize='{TOKENIZER}');
CREATE VIRTUAL TABLE places USING fts5vocab (words, instance);
CREATE VIRTUAL TABLE counts USING fts5vocab (words, row);
"""


class Stemmer:
    """Splits and stems, in a database in memory that keeps nothing."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._connection = sqlite3.connect(
            ":memory:", isolation_level=None, check_same_thread=False
        )
        self._connection.executescript(_SCHEMA)

    def stems_of(self, term: str) -> Stems:
        """The stems of a term in order: one for a word, none for punctuation, several for `x-ray`."""
        with self._lock:
            self._add(term)
            found = self._connection.execute("SELECT term FROM places ORDER BY offset").fetchall()
            self._clear()
        return tuple(stem for (stem,) in found)

    def all_stems(self, texts: Iterable[str]) -> set[str]:
        """Every stem of any of the texts."""
        pieces: set[str] = set()  # a word never reaches across a space, and most come often
        for text in texts:
            pieces.update(text.split())
        with self._lock:
            self._add(" ".join(pieces))
            found = self._connection.execute("SELECT term FROM counts").fetchall()
            self._clear()
        return {stem for (stem,) in found}

    def _add(self, text: str) -> None:
        self._connection.execute("INSERT INTO words (text) VALUES (?)", (text,))

    def _clear(self) -> None:
        self._connection.execute("INSERT INTO words (words) VALUES ('delete-all')")


STEMMER: Final = Stemmer()
"""Shared by all stores of a process, because it keeps nothing."""
