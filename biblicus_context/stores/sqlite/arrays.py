"""All of this source that needs numpy: loaded by the first search, as that takes longer than to open a store."""

from biblicus_context.stores.sqlite.files.matrices import Matrices
from biblicus_context.stores.sqlite.read.filtered_rows import rows_meeting
from biblicus_context.stores.sqlite.read.indexed_words import IndexedWords
from biblicus_context.stores.sqlite.read.spelling import spelt_like

__all__ = ["IndexedWords", "Matrices", "rows_meeting", "spelt_like"]
