"""All of this source that needs numpy: loaded by the first search, as that takes longer than to open a store."""

from biblicus_context.stores.sqlite.files.matrices import Matrices
from biblicus_context.stores.sqlite.files.matrix_file import MatrixStamp, agrees
from biblicus_context.stores.sqlite.read.filtered_rows import rows_meeting
from biblicus_context.stores.sqlite.read.indexed_words import IndexedWords
from biblicus_context.stores.sqlite.read.spelling import spelt_like
from biblicus_context.stores.sqlite.write.sorted_words import forget_sorted, sort_recent

__all__ = [
    "IndexedWords",
    "Matrices",
    "MatrixStamp",
    "agrees",
    "forget_sorted",
    "rows_meeting",
    "sort_recent",
    "spelt_like",
]
