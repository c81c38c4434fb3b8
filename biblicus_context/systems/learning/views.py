"""The texts of an experience: one for each axis, searched and written alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from biblicus_context.systems.learning.models import Axis, Experience

_LABELS: Final = {
    "goal": "Goal",
    "hypothesis": "Hypothesis",
    "action": "Action",
    "prediction": "Prediction",
    "outcome": "Outcome",
    "surprise": "Surprise",
    "root_cause": "Root cause",
    "lesson": "Lesson",
}
_PARTS: Final[Mapping[Axis, tuple[str, ...]]] = {
    "full": ("goal", "hypothesis", "action", "prediction", "outcome", "surprise", "lesson"),
    "strategy": ("goal", "action", "outcome", "lesson"),
    "surprise": ("prediction", "outcome", "surprise"),
    "root_cause": ("hypothesis", "outcome", "root_cause"),
}
AXES: Final = tuple(_PARTS)


def view(experience: Experience, axis: Axis) -> str:
    """The experience on an axis, each field on a line; empty if it is not on this axis."""
    if axis in ("surprise", "root_cause") and not getattr(experience, axis).strip():
        return ""
    said = experience.model_dump()
    said["outcome"] = f"{experience.outcome_status} - {experience.outcome_result}"
    lines = ((_LABELS[name], " ".join(said[name].split())) for name in _PARTS[axis])
    return "\n".join(f"- **{label}**: {text}" for label, text in lines if text)
