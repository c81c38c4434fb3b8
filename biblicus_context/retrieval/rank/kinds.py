"""How much each kind of document counts, also by words of the query."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Discriminator, Field, Tag

from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.rank.component import RankingQuery, Share
from biblicus_context.spec.base import StrictSpec, number_or_settings
from biblicus_context.spec.retriever_settings.placeholders import NameList


class KindMatch(StrictSpec):
    """1 for candidates of the wanted kinds."""

    kinds: NameList = Field(description="Kinds of documents.", examples=[["note", "task"]])

    def __call__(self, candidate: Candidate, query: RankingQuery) -> float:
        """Whether its kind is one of them."""
        del query
        return 1.0 if candidate.kind in self.kinds else 0.0


class KindPriority(StrictSpec):
    """What a kind counts, always or if the query has one of some words."""

    score: Share = Field(description="The score of the kind.")
    words: NameList = Field(
        default=(), description="It counts only if the query has one of these words."
    )


_Priority = Annotated[
    Annotated[Share, Tag("<number>")] | Annotated[KindPriority, Tag("<settings>")],
    Discriminator(number_or_settings),
]


class KindPriorities(StrictSpec):
    """A priority for each kind; `words` limit one to queries that ask for that kind."""

    priorities: Mapping[str, _Priority] = Field(
        description="The score of each kind, or {score: ..., words: [...]}.",
        examples=[{"decision": 1, "task": {"score": 0.9, "words": ["task", "todo"]}}],
    )
    preferred: NameList = Field(
        default=(),
        description="Kinds that count 1 in this call; placeholders are allowed.",
        examples=[["{input.kind}"]],
    )
    usual: Share = Field(default=0.5, description="The score of any other kind.")

    def __call__(self, candidate: Candidate, query: RankingQuery) -> float:
        """The priority of its kind, if the query asks for it."""
        if candidate.kind in self.preferred:
            return 1.0
        found = self.priorities.get(candidate.kind, self.usual)
        if not isinstance(found, KindPriority):
            return found
        wanted = {word.lower() for word in found.words}
        return found.score if not wanted or wanted & {*query.terms} else self.usual
