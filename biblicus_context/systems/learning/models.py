"""What is learned."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import Field

from biblicus_context.systems.typed_records import Identified

Axis: TypeAlias = Literal["full", "strategy", "surprise", "root_cause"]


class Memory(Identified):
    """A fact, a preference, a decision or an error message."""

    content: str
    category: str = "fact"
    importance: float = Field(default=0.5, ge=0, le=1)


class Experience(Identified):
    """One attempt: goal, hypothesis, action and prediction, and what came of it."""

    domain: str
    strategy: str
    goal: str
    hypothesis: str
    action: str
    prediction: str
    outcome_status: str = Field(examples=["confirmed", "falsified", "abandoned"])
    outcome_result: str
    surprise: str = ""
    root_cause: str = ""
    lesson: str = Field(default="", description="What worked.")
    confidence_tier: Literal["gold", "silver", "bronze", "abandoned"] = "silver"
    iteration_count: int = 1


class Value(Identified):
    """A principle that several experiences have in common."""

    text: str
    axis: Axis = "full"
    cluster_id: str = ""
    cluster_size: int = 1
    similarity_to_centroid: float = 1.0
    experience_ids: tuple[str, ...] = ()
