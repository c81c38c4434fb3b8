"""What every library gets, and what it returns: files of JSON, as each runs in its own environment."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

    from biblicus_context.evaluation import Collection

BETWEEN: Final = "\n"


@dataclass(frozen=True, slots=True)
class Memory:
    """A text to remember; each owner has memories of their own."""

    id: str
    text: str
    owner: str
    session: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """What somebody asks, and the memories that answer it."""

    text: str
    owner: str
    gold: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Work:
    """Memories to store, questions to build a context for, and the tokens of each context."""

    memories: tuple[Memory, ...]
    questions: tuple[Question, ...]
    budget: int

    def save(self, file: Path) -> None:
        file.write_text(json.dumps(asdict(self)), encoding="utf-8")

    @classmethod
    def load(cls, file: Path) -> Work:
        told = json.loads(file.read_text(encoding="utf-8"))
        memories = tuple(Memory(**each) for each in told["memories"])
        questions = tuple(
            Question(each["text"], each["owner"], tuple(each["gold"])) for each in told["questions"]
        )
        return cls(memories, questions, told["budget"])


def work_of(collection: Collection, budget: int) -> Work:
    """Every record of a collection as a memory, and its queries."""
    return Work(
        tuple(
            Memory(each.id, each.text, each.scope, each.metadata_text("session"))
            for each in collection.records
        ),
        tuple(Question(each.text, each.collection or "", each.gold) for each in collection.queries),
        budget,
    )


@dataclass(frozen=True, slots=True)
class Context:
    """What a library would send, and the memories in it, as far as it names them."""

    text: str
    placed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Built:
    """What one library did: seconds to store everything, and the context of each question."""

    storing: float
    seconds: tuple[float, ...]
    contexts: tuple[str, ...]
    peak_megabytes: float
