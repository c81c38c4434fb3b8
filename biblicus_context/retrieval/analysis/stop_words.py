"""Words that say nothing of what is looked for."""

from __future__ import annotations

from typing import Final

_ENGLISH: Final = """
    a about above after again against all am an and any are as at be because been before being
    below between both but by can cannot could did do does doing down during each few for from
    further had has have having he her here hers herself him himself his how i if in into is it its
    itself let me more most must my myself no nor not of off on once only or other ought our ours
    ourselves out over own same shall she should so some such than that the their theirs them
    themselves then there these they this those through to too under until up very was we were what
    when where which while who whom whose why will with would you your yours yourself yourselves
"""

STOP_WORDS: Final = frozenset(_ENGLISH.split())
"""English function words.

Other languages need no list: their function words are in most blocks, and `rare_terms` drops those.
"""
