"""What is learned, and a context of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import AwareDatetime, BeforeValidator, Field, model_validator

from biblicus_context.corpora import RecordModel
from biblicus_context.retrieval import Verdict
from biblicus_context.text import redacted


def area(said: object) -> object:
    """The one spelling of a domain or a strategy, however somebody writes it.

    >>> area("Systematic elimination")
    'systematic-elimination'
    """
    return (
        "-".join(re.split(r"[\s_-]+", said.strip().casefold())) if isinstance(said, str) else said
    )


Axis: TypeAlias = Literal["full", "strategy", "surprise", "root_cause"]
_Area: TypeAlias = Annotated[str, BeforeValidator(area)]
_Known: TypeAlias = Annotated[str, BeforeValidator(lambda said: said or "")]  # empty: it is not
_FIELDS: Final[dict[Axis, str]] = {
    "full": "goal hypothesis action prediction outcome surprise lesson",
    "strategy": "goal action outcome lesson",
    "surprise": "prediction outcome surprise",
    "root_cause": "hypothesis outcome root_cause",
}


class _Learned(RecordModel):
    id: str
    created_at: Annotated[AwareDatetime | None, Field(alias="created")] = None
    tags: tuple[str, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _without_secrets(cls, known: Any) -> Any:
        """What looks like a key or a password is never stored, whoever writes it."""
        if not isinstance(known, Mapping):
            return known
        return {name: each if name == "id" else _redacted(each) for name, each in known.items()}


def _redacted(said: Any) -> Any:
    if isinstance(said, str):
        return redacted(said)
    return [_redacted(each) for each in said] if isinstance(said, list | tuple) else said


class Memory(_Learned):
    """A fact, a preference, a decision or an error message."""

    record_kind = "memory"
    content: Annotated[str, Field(alias="text")]
    category: str = "fact"
    importance: float = Field(default=0.5, ge=0, le=1)


class Experience(_Learned):
    """One attempt: goal, hypothesis, action and prediction, and what came of it."""

    record_kind = "experience"
    domain: _Area = Field(examples=["debugging", "feature", "refactoring"])
    strategy: _Area = Field(examples=["systematic-elimination", "read-the-error"])
    goal: str
    hypothesis: str
    action: str
    prediction: str
    outcome_status: str = Field(examples=["confirmed", "falsified", "abandoned"])
    outcome_result: str
    surprise: _Known = ""
    root_cause: _Known = ""
    lesson: _Known = Field(default="", description="What worked.")
    confidence_tier: Literal["gold", "silver", "bronze", "abandoned"] = "silver"
    iteration_count: int = 1

    def views(self) -> dict[str, str]:
        """The text on each axis that it is on."""
        return {axis: text for axis in _FIELDS if (text := self.view(axis))}

    def view(self, axis: Axis) -> str:
        """The text on an axis, each field on a line; empty where it is not on that axis."""
        outcome = f"{self.outcome_status} - {self.outcome_result}"
        names = _FIELDS[axis].split() if getattr(self, axis, axis) else ()
        said = ((name, " ".join(getattr(self, name, outcome).split())) for name in names)
        return "\n".join(
            f"- **{name.capitalize().replace('_', ' ')}**: {text}" for name, text in said if text
        )


class Value(_Learned):
    """A principle that several experiences have in common."""

    record_kind = "value"
    text: str
    axis: Axis = "full"
    cluster_id: str = ""
    cluster_size: int = 1
    similarity_to_centroid: float = 1.0
    experience_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ContextItem:
    """One item of a context, as it is written there; the source is its kind."""

    source: str
    content: str
    relevance: float
    metadata: Mapping[str, Any]


@dataclass(frozen=True, slots=True, repr=False)
class FormattedContext:
    """A context as Markdown; `limit_exceeded` is possible with `soft=True` only."""

    markdown: str
    items: tuple[ContextItem, ...]
    token_count: int
    sources_used: Mapping[str, int]
    limit_exceeded: bool = False
    skipped: Mapping[str, str] = field(default_factory=dict)
    """The sources that did not answer, and why."""
    notes: tuple[str, ...] = ()
    """What was asked for and is not known, such as a domain, with what is."""
    verdict: Verdict | None = None
    """Whether anything that was found is relevant: `found`, `weak` or `nothing`; None if the searcher did
    not decide, as in a premortem."""

    def __repr__(self) -> str:
        more = [f"skipped={[*self.skipped]}"] * bool(self.skipped)
        more += [f"notes={[*self.notes]}"] * bool(self.notes)
        found = ", ".join(f"{count} {source}" for source, count in self.sources_used.items())
        said = [found or "nothing", f"{self.token_count} tokens", *more]
        return f"<{type(self).__name__}: {', '.join(said)}>"
