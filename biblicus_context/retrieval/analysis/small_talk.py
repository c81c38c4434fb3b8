"""What people say without asking for anything, and the words that say nothing about a subject."""

from __future__ import annotations

import re
from typing import Final

from biblicus_context.base.doors import door
from biblicus_context.retrieval.analysis.terms import STOP_WORDS, query_terms
from biblicus_context.text.rare_words import rarity

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
_PHRASES: Final = re.compile(
    r"\b(?:no (?:worries|problem|rush|hurry)|not a problem|never ?mind|my (?:bad|pleasure)|fair enough"
    r"|(?:it |that )?makes sense|good (?:point|idea|job|stuff|one)|go (?:ahead|on|for it)|will do|hang on"
    r"|hold on|one (?:moment|sec|second|minute)|(?:just )?a (?:moment|sec|second|minute)"
    r"|(?:be )?(?:right )?back(?: soon| in a (?:bit|minute|moment|sec|second))?|brb|afk"
    r"|you(?:['’ ]re| are) (?:a |an |the )?(?:star|legend|lifesaver|genius|angel|best|great|funny|right)"
    r"|you rock|(?:that['’ ]s|that is|this is|it['’ ]s) (?:all|it|enough|interesting|funny|good|helpful|fine)"
    r"|(?:very |how |so )?(?:interesting|helpful|funny)|let['’ ]s (?:do|try) (?:it|that)|i (?:see|agree)"
    r"|take your time|have a (?:good|nice|great|lovely) (?:one|day|evening|night|weekend|week|time)"
    r"|long time no see|what['’ ]s up|kein problem|alles klar|gern geschehen|de rien|no pasa nada)\b",
    re.IGNORECASE,
)
"""What is said in several words, each of which may be a part of a question."""
_LONGEST: Final = 200
"""Characters of a greeting: a long message of function words alone is something else."""
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
    >>> is_small_talk("No worries, I'll be right back"), is_small_talk("Can I get my money back?")
    (True, False)
    """
    if len(text) > _LONGEST:
        return False
    words = query_terms(_PHRASES.sub(" ok ", text), ())
    return bool(words) and all(each in SMALL_TALK or each in STOP_WORDS for each in words)


@door
def telling_terms(text: str) -> tuple[str, ...]:
    """The words of a query that say what it is about, each once; all that it has if none does.

    >>> telling_terms("Please summarize the discussion about okta")
    ('okta',)
    """
    words = tuple(dict.fromkeys(query_terms(text)))
    return tuple(each for each in words if each not in _VAGUE_WORDS) or words


_READ: Final = 1_500
"""Characters of a text that are looked at: what is longer tells something."""
_TELLS: Final = 7.5
"""The rarity of all words of a text from which on it tells something: in two collections of memories that
people wrote, 18 of 20 lines of chit-chat are below it, and no fact."""


@door
def tells_something(text: str) -> bool:
    """Whether a text says enough to answer a question: greetings and "Never mind, found it." do not.

    >>> [tells_something(each) for each in ("Back in five minutes.", "The user lives in Porto.")]
    [False, True]
    """
    words = {*query_terms(text[:_READ])} - SMALL_TALK
    return len(text) > _READ or sum(map(rarity, words)) >= _TELLS
