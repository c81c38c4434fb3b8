"""What is searched: the words of a query, and the indexed text of each kind of block."""

from biblicus_context.retrieval.analysis.follow_up import is_follow_up, with_last_question
from biblicus_context.retrieval.analysis.small_talk import (
    SMALL_TALK,
    is_small_talk,
    telling_terms,
    tells_something,
)
from biblicus_context.retrieval.analysis.terms import (
    STOP_WORDS,
    code_index_text,
    identifier_parts,
    query_terms,
    rare_terms,
    split_identifiers,
    text_index_text,
    turn_index_text,
)

__all__ = [
    "SMALL_TALK",
    "STOP_WORDS",
    "code_index_text",
    "identifier_parts",
    "is_follow_up",
    "is_small_talk",
    "query_terms",
    "rare_terms",
    "split_identifiers",
    "telling_terms",
    "tells_something",
    "text_index_text",
    "turn_index_text",
    "with_last_question",
]
