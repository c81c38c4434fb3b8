"""What is learned, as records of a corpus."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from biblicus_context import Record
from biblicus_context.systems.learning.models import Axis, Experience, Memory, Value
from biblicus_context.systems.learning.views import AXES, view

_OF_ALL_AXES = {"id", "domain", "strategy", "outcome_status", "confidence_tier"}


def kind_of(axis: Axis) -> str:
    """The kind of the documents of an axis."""
    return "experience" if axis == "full" else f"experience-{axis}"


def memory_record(memory: Memory) -> Record:
    """A memory."""
    return Record(
        id=memory.id,
        kind="memory",
        text=memory.content,
        importance=memory.importance,
        created=memory.created_at or datetime.now(UTC),
        metadata=memory.model_dump(mode="json", exclude={"content", "created_at"}),
    )


def value_record(value: Value, **more: str) -> Record:
    """A value; `more` is kept with it."""
    return Record(
        id=value.id,
        kind="value",
        text=value.text,
        created=value.created_at or datetime.now(UTC),
        metadata={**value.model_dump(mode="json", exclude={"text", "created_at"}), **more},
    )


def experience_records(experience: Experience) -> Iterator[Record]:
    """An experience, and its views on the other axes below it; one that has no text is not found."""
    created = experience.created_at or datetime.now(UTC)
    for axis in AXES:
        is_whole = axis == "full"
        fields = None if is_whole else _OF_ALL_AXES
        yield Record(
            id=experience.id if is_whole else f"{experience.id}#{axis}",
            kind=kind_of(axis),
            text=view(experience, axis),
            parent=None if is_whole else experience.id,
            created=created,
            metadata=experience.model_dump(mode="json", include=fields, exclude={"created_at"}),
        )
