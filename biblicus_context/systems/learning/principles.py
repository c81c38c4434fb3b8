"""What experiences have in common, in a line: chosen from what they say, never invented."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from biblicus_context.systems.learning.models import Axis, Experience

_FIELDS: Final[dict[Axis, tuple[str, ...]]] = {
    "full": ("lesson", "root_cause", "surprise", "goal"),
    "strategy": ("lesson", "action"),
    "surprise": ("surprise",),
    "root_cause": ("root_cause",),
}
"""Fields that say most on an axis, the first that is known of each experience."""
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+|\n+")
_WORD: Final = re.compile(r"[^\W_]{3,}")


def common_principle(experiences: Sequence[Experience], axis: Axis) -> str:
    """The sentence of one experience that says what most of them say, and how often it was so.

    >>> made = [Experience(id=str(n), domain="debugging", strategy="x", goal="g", hypothesis="h", action="a",
    ...     prediction="p", outcome_status="falsified", outcome_result="r", root_cause=cause)
    ...     for n, cause in enumerate(["The clock of the server.", "The clock was late.", "A clock."])]
    >>> common_principle(made, "root_cause")
    'The clock of the server. (3 experiences of debugging, 3 falsified)'
    """
    said = [_said(each, axis) for each in experiences]
    words = [{*_words(each)} for each in said]
    times = Counter(word for each in words for word in each)
    sentences = [one for each in said for one in _SENTENCE.split(each) if one.strip()]
    best = max(sentences, key=lambda one: (_shared(one, times), -len(one), one), default="")
    domains = ", ".join(sorted({each.domain for each in experiences}))
    failed = sum(each.outcome_status == "falsified" for each in experiences)
    ended = f", {failed} falsified" if failed else ""
    return f"{best.strip()} ({len(experiences)} experiences of {domains}{ended})"


def _said(experience: Experience, axis: Axis) -> str:
    return next((text for name in _FIELDS[axis] if (text := getattr(experience, name))), "")


def _words(text: str) -> Iterable[str]:
    return _WORD.findall(text.casefold())


def _shared(sentence: str, times: Counter[str]) -> float:
    """How often its words are said by others, for each word: a long sentence says no more by that."""
    words = {*_words(sentence)}
    return sum(times[word] - 1 for word in words) / (len(words) + 4)
