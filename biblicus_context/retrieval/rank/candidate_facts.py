"""What is known of a candidate, whatever the query: one component of a ranking for each fact."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Annotated

from pydantic import Discriminator, Field, Tag

from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.rank.weighted_sum import RankingQuery, Share
from biblicus_context.spec.base import StrictSpec, number_or_settings
from biblicus_context.spec.retriever_settings.placeholders import NameList


class Confidence(StrictSpec):
    """The confidence of the candidate, or the usual one if it has none."""

    usual: Share = Field(default=0.5, description="The score of a block without a confidence.")

    def __call__(self, candidate: Candidate, query: RankingQuery) -> float:
        """How sure its author is."""
        del query
        return self.usual if candidate.confidence is None else candidate.confidence


class Importance(StrictSpec):
    """The importance of the candidate, or the usual one if it has none."""

    usual: Share = Field(default=0.5, description="The score of a block without an importance.")

    def __call__(self, candidate: Candidate, query: RankingQuery) -> float:
        """How much depends on it."""
        del query
        return self.usual if candidate.importance is None else candidate.importance


class SourcePriority(StrictSpec):
    """A priority per source or path pattern; the longest matching pattern counts."""

    priorities: Mapping[str, Share] = Field(
        description="The score of each pattern of paths or sources.",
        examples=[{"guides/**": 1, "archive/**": 0.2}],
    )
    usual: Share = Field(default=0.5, description="The score of a block that no pattern matches.")

    def __call__(self, candidate: Candidate, query: RankingQuery) -> float:
        """The priority of the longest pattern that matches its source or path."""
        del query
        names = [name for name in (candidate.source, candidate.path) if name is not None]
        matching = [
            pattern
            for pattern in self.priorities
            if any(fnmatchcase(name, pattern) for name in names)
        ]
        longest = max(matching, key=lambda pattern: (len(pattern), pattern), default=None)
        return self.usual if longest is None else self.priorities[longest]


class Proximity(StrictSpec):
    """The share of folders in common between the candidate and the path of the caller."""

    path: str | None = Field(
        description="Path of the file that the user works in; placeholders are allowed. Null: every "
        "score is 0.",
        examples=["{input.file}"],
    )

    def __call__(self, candidate: Candidate, query: RankingQuery) -> float:
        """1 in the same file, less with each folder that differs."""
        del query
        if candidate.path is None or self.path is None:
            return 0.0
        here, there = self.path.split("/"), candidate.path.split("/")
        shared = 0
        for one, other in zip(here, there, strict=False):
            if one != other:
                break
            shared += 1
        return 2 * shared / (len(here) + len(there))


class UsageFrequency(StrictSpec):
    """Grows with use and with helpful feedback, and falls with unhelpful feedback."""

    half_at: float = Field(
        default=5.0, gt=0, description="Number of uses at which the score is 0.5."
    )
    full_at: float | None = Field(
        default=None,
        gt=0,
        description="Number of uses at which a score that grows evenly is 1, in place of half_at.",
    )
    usual: Share = Field(
        default=0.0,
        description="The score of a block that nobody used or judged; one with more unhelpful than "
        "helpful feedback is below it.",
    )

    def __call__(self, candidate: Candidate, query: RankingQuery) -> float:
        """Use, times the share of helpful feedback if there is any, above the usual score or below it."""
        del query
        use = candidate.used + candidate.helpful
        judged = candidate.helpful + candidate.unhelpful
        liked = (candidate.helpful + 1) / (judged + 1) if judged else 1.0
        grown = use / (use + self.half_at) if self.full_at is None else min(1, use / self.full_at)
        against = max(0.0, candidate.unhelpful - candidate.helpful)
        lost = min(1.0, against / (self.full_at or self.half_at))
        return self.usual + (1 - self.usual) * grown * liked - self.usual * lost


class FieldValue(StrictSpec):
    """A weight for each value of a metadata field, such as tiers; of a list the best value counts.

    >>> FieldValue(field="tier", values={"gold": 1.0, "silver": 0.8}).usual
    0.0
    """

    field: str = Field(
        description="Name of the metadata field; dots lead into mappings.", examples=["tier"]
    )
    values: Mapping[str, Share] = Field(
        description="The score of each value; numbers, true and false are written as in JSON.",
        examples=[{"gold": 1, "silver": 0.8}],
    )
    usual: Share = Field(
        default=0.0, description="The score of any other value, and of a block without the field."
    )

    def __call__(self, candidate: Candidate, query: RankingQuery) -> float:
        """The weight of its value."""
        del query
        weights = [self.values.get(value, self.usual) for value in self._values(candidate)]
        return max(weights, default=self.usual)

    def _values(self, candidate: Candidate) -> Iterator[str]:
        found: object = candidate.metadata
        for name in self.field.split("."):
            found = found.get(name) if isinstance(found, Mapping) else None
        for value in found if isinstance(found, list | tuple) else [found]:
            yield str(value).lower() if isinstance(value, bool) else str(value)


class FoundBy(StrictSpec):
    """A priority for each source of a combined retriever; of several that found a block the best counts."""

    priorities: Mapping[str, Share] = Field(
        description="The score of each source, by its name.", examples=[{"tickets": 0.9}]
    )
    usual: Share = Field(default=0.5, description="The score of any other source.")

    def __call__(self, candidate: Candidate, query: RankingQuery) -> float:
        """The best priority of the sources that found it."""
        del query
        found = [self.priorities[name] for name in candidate.found_by if name in self.priorities]
        return max(found, default=self.usual)


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


class Position(StrictSpec):
    """1 for the first block of a document: summaries and introductions come first."""

    half_at: float = Field(
        default=5.0, gt=0, description="Number of blocks before it at which the score is 0.5."
    )

    def __call__(self, candidate: Candidate, query: RankingQuery) -> float:
        """Less with every block before it."""
        del query
        return self.half_at / (self.half_at + candidate.position)


class Structure(StrictSpec):
    """1 - `step` for each step in the tree of documents to the nearest of the named ones."""

    near: NameList = Field(
        description="Documents by path or id; placeholders are allowed.",
        examples=[["{input.page}"]],
    )
    step: float = Field(default=0.1, gt=0, le=1, description="What each step takes off the score.")
    usual: Share = Field(default=0.5, description="The score if no document is named.")

    def __call__(self, candidate: Candidate, query: RankingQuery) -> float:
        """Less with each step, and 0 outside of the tree."""
        if not self.near or candidate.document is None:
            return self.usual
        steps = query.distance(candidate.document, self.near)
        return 0.0 if steps is None else max(0.0, 1 - self.step * steps)


class Affinity(StrictSpec):
    """Counts what the asking user edited or viewed."""

    edited: Share = Field(default=1.0, description="The score of a document that the user edited.")
    viewed: Share = Field(default=0.5, description="The score of a document that the user viewed.")

    def __call__(self, candidate: Candidate, query: RankingQuery) -> float:
        """The weight of what the user did with its document."""
        done = () if candidate.document is None else query.actions(candidate.document)
        return max(self.edited * ("edit" in done), self.viewed * ("view" in done))
