"""Why something is not placed as it came: the limit that bound, its figure, and the words for both."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, NamedTuple, TypeAlias

LimitCause: TypeAlias = Literal["cap", "input_budget", "pack_budget", "share"]
"""A limit in tokens, of which more or less is left; of equals the first is named."""
FactCause: TypeAlias = Literal[
    "limit",
    "max_pages",
    "maximum_total_characters",
    "max_turns",
    "low_mark",
    "previous",
    "start_on",
    "unsendable",
    "select",
    "min_score",
    "relevance",
    "duplicate",
    "alternative",
    "when",
    "plan",
    "not_quoted",
    "other_answer",
    "failed",
    "nothing_found",
    "empty",
]
"""What is so whatever is left of any limit in tokens."""
Cause: TypeAlias = Literal[LimitCause, FactCause]
"""What bound: a limit, or a fact that is not a limit."""

PartKind: TypeAlias = Literal["system", "user", "assistant", "context", "history", "first"]
"""What a part of a plan is, as directives name it."""


class Reason(NamedTuple):
    """What bound, its figure, and what else there is to say."""

    cause: Cause
    figure: int | None = None
    detail: str = ""
    """The condition, the block that stays, the words of an error."""
    of: str = ""
    """The context that the limit belongs to, where that is not the entry's own place."""
    note: str = ""
    """What happened besides: the words of a compactor, the summary of turns."""
    score: float | None = None
    """Of what is below `min_score`: how similar it is."""
    is_known: bool = False
    """Of a limit that ended paging: whether the retriever says that it has more."""

    def text(self, action: str) -> str:
        """The reason in words, for an entry that this happened to."""
        words = _WORDS_OF_ACTION.get(action, {}).get(self.cause)
        figure = self.figure or 0
        said = (words or _WORDS[self.cause]).format(
            figure=f"{figure:,}",
            tokens=counted(figure, "token"),
            blocks=counted(figure, "block"),
            detail=self.detail,
            score=_beside(self.score, self.detail),
            of=f" of '{self.of}'" if self.of else "",
            its="the" if self.of else "its",
        )
        return f"{said}{'; ' if self.note else ''}{self.note}"


NOT_RELEVANT: Final[frozenset[Cause]] = frozenset({"min_score", "relevance"})
"""What leaves out what does not answer the query."""


def hides_evidence(left_out: Iterable[tuple[str, Reason]]) -> bool:
    """Whether anything was left out that answers the query: what is below `min_score` does not."""
    return any(reason.cause not in NOT_RELEVANT for _, reason in left_out)


_WORDS: Final[dict[Cause, str]] = {
    "share": "{its} share of {tokens}{of} is full",
    "cap": "{its} own budget of {tokens}{of} is full",
    "pack_budget": "pack budget of {tokens}{of} is spent",
    "input_budget": "total budget of {tokens} is full",
    "limit": "{detail}limit of {blocks}",
    "max_pages": "max_pages of {figure}",
    "maximum_total_characters": "maximum_total_characters of {figure}",
    "max_turns": "max_turns of {figure}",
    "low_mark": "budget of {tokens} is full: down to the low mark at once, "
    "so that the next calls begin alike",
    "previous": "so that this begins as the previous result did",
    "start_on": "the history starts on: {detail}",
    "unsendable": "{detail}",
    "select": "the selection of the retriever did not choose it",
    "min_score": "its similarity{score} is below min_score of {detail}",
    "relevance": "nothing relevant: {detail}",
    "duplicate": "duplicate: {detail}",
    "alternative": "{detail}",
    "when": "when: {detail} does not hold",
    "plan": "{detail}",
    "not_quoted": "no text of this call quotes it",
    "other_answer": "another answer of the retriever is placed",
    "failed": "{detail}",
    "nothing_found": "the retriever returned nothing",
    "empty": "empty",
}
_WORDS_OF_ACTION: Final[dict[str, dict[Cause, str]]] = {
    "kept": {"min_score": "nothing is similar enough: best{score}, min_score {detail}"},
    "shortened": {
        "share": "trimmed to {its} share of {tokens}{of}",
        "cap": "trimmed to {its} own budget of {tokens}{of}",
    },
    "not asked": {
        "share": "starved: {its} share of {tokens}{of} leaves it nothing",
        "cap": "starved: {its} own budget of {tokens}{of} leaves it nothing",
        "pack_budget": "starved: pack budget of {tokens}{of} leaves it nothing",
        "input_budget": "starved: total budget of {tokens} leaves it nothing",
    },
}
"""Words of their own for some of what may happen; the others read well for all of it."""


def _beside(score: float | None, limit: str) -> str:
    """A score, with as many digits as it takes to see that it is below its limit."""
    if score is None:
        return ""
    shown = (f" {score:.{digits}f}" for digits in range(2, 7))
    return next((text for text in shown if limit and float(text) < float(limit)), f" {score:g}")


def counted(figure: int, noun: str) -> str:
    """Such as 1 token, or 2,000 tokens."""
    return f"{figure:,} {noun}{'' if figure == 1 else 's'}"
