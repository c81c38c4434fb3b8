"""What people say without asking for anything, and the words that say nothing about a subject."""

from __future__ import annotations

from typing import Final

from biblicus_context.base.doors import door
from biblicus_context.retrieval.analysis.terms import STOP_WORDS, query_terms

_SMALL_TALK: Final = """
    hello hi hey hiya howdy greetings good morning afternoon evening night bye goodbye cheers ciao
    thanks thank thx ty ok okay k kk yes yeah yep yup nope nah sure fine great perfect nice cool
    awesome excellent wonderful lovely super brilliant amazing wow haha hahaha lol rofl please sorry
    pardon welcome see later soon tomorrow today tonight well done right alright exactly indeed
    absolutely course oh ah uh um hmm mm mhm hm er erm huh aha ooh much lot really just also maybe
    everyone guys folks friend again quick talk catch care works sounds understood got hallo danke
    tschüss bis morgen guten tag moin servus merci bonjour salut au revoir hola gracias adios adiós
    buenos buenas días tardes noches bitte ja nein obrigado olá grazie prego
"""
SMALL_TALK: Final = frozenset(_SMALL_TALK.split())
"""Words of greetings, thanks and assent."""
_VAGUE: Final = """
    summarize summarise summary explain describe tell discuss discussed discussion say said show give
    list find know mean means meant think thought thing things want need use used using make made
    example question answer please help someone anybody anyone something anything get got go going way
    kind talk look see like many much long often best good new way work works
"""
_VAGUE_WORDS: Final = frozenset(_VAGUE.split()) | SMALL_TALK


@door
def is_small_talk(text: str) -> bool:
    """Whether a text greets, thanks or agrees, and asks for nothing.

    >>> [is_small_talk(each) for each in ("Thanks, bye!", "How are you?", "Thanks! When do we ship?", "")]
    [True, True, False, False]
    """
    words = query_terms(text, ())
    return bool(words) and all(each in SMALL_TALK or each in STOP_WORDS for each in words)


@door
def telling_terms(text: str) -> tuple[str, ...]:
    """The words of a query that say what it is about, each once; all that it has if none does.

    >>> telling_terms("Please summarize the discussion about okta")
    ('okta',)
    """
    words = tuple(dict.fromkeys(query_terms(text)))
    return tuple(each for each in words if each not in _VAGUE_WORDS) or words
