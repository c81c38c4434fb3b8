"""What every library gets, and what it returns: files of JSON, as each runs in its own environment."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping
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
    """The contexts of the first questions, of all if there was time, and the seconds of each."""

    seconds: tuple[float, ...]
    contexts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Run:
    """What one library did: how it stored everything, and what it built in each way."""

    own: int
    """Memories that were stored in the way that is documented for one."""
    storing: float
    peak_megabytes: float
    built: Mapping[str, Built]

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Run:
        built = {
            name: Built(tuple(each["seconds"]), tuple(each["contexts"]))
            for name, each in told["built"].items()
        }
        return cls(told["own"], told["storing"], told["peak_megabytes"], built)
