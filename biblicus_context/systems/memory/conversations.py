"""What was said in a conversation as memories: its turns, and with an extractor the facts in them."""

from __future__ import annotations

import json
import re
from asyncio import to_thread
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import blake2b
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from pydantic import Field, ValidationError

from biblicus_context import ContextAssembler, ContextAssemblyResult
from biblicus_context.base import require_text
from biblicus_context.errors import InputError
from biblicus_context.formats import history_from_any_client
from biblicus_context.ingest import Record, RelationTo
from biblicus_context.reading import shipped_plan
from biblicus_context.retrieval import is_small_talk
from biblicus_context.systems.memory.conflicts import codes_of, same_words
from biblicus_context.systems.memory.models import Memory, OptionsModel

if TYPE_CHECKING:
    from biblicus_context.systems.memory.store import MemoryStore

TURN: Final = "turn"
"""The type of a memory that is what somebody said."""
SAID_IN: Final = "said_in"
"""The type of the relation of a fact to the turn that it was said in."""
_ROLES: Final = ("user", "assistant")
_KNOWN: Final = 12
"""Known memories that an extractor gets."""
_QUERY: Final = 2_000
_NUMBER: Final = re.compile(r"\d+(?:[.,:]\d+)*")
_FENCED: Final = re.compile(r"```(?:json)?\s*(.*?)```", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Turn:
    """What somebody said; `number` counts from 1."""

    number: int
    role: str
    text: str
    id: str
    when: datetime


class Fact(OptionsModel):
    """What an extractor found; `turns` are the numbers of those that say it."""

    content: str = Field(min_length=1)
    turns: tuple[int, ...] = Field(min_length=1)
    type: str = "fact"
    confidence: float | None = Field(default=None, ge=0, le=1)
    replaces: str | None = None
    """The id of the known memory that no longer holds."""


@dataclass(frozen=True, slots=True)
class Extraction:
    """What an extractor gets: the turns, what is known already, and a prompt for a model with both."""

    turns: Sequence[Turn]
    known: Sequence[Memory]

    @property
    def prompt(self) -> ContextAssemblyResult:
        """The plan `extract` with the turns and the known memories: `prompt.to_openai()` and others."""
        return _assembler().assemble(
            "extract",
            inputs={
                "turns": [
                    {
                        "number": e.number,
                        "role": e.role,
                        "text": e.text,
                        "day": f"{e.when:%Y-%m-%d}",
                    }
                    for e in self.turns
                ],
                "known": [{"id": each.id, "content": each.content} for each in self.known],
            },
        )


Extractor: TypeAlias = Callable[[Extraction], Any]
"""Returns facts, mappings with their fields, or the JSON text of a model; it may be async."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A fact that was not stored, and why."""

    fact: Any
    reason: str


@dataclass(frozen=True, slots=True)
class Remembered:
    """What a conversation added."""

    turns: Sequence[str] = ()
    """The ids of the turns that are new."""
    facts: Sequence[Memory] = ()
    """The facts that are new."""
    replaced: Mapping[str, str] = field(default_factory=dict)
    """By id of the memory that no longer holds, the id of the fact in its place."""
    known: Sequence[str] = ()
    """What was said and is remembered already."""
    refused: Sequence[Refused] = ()
    conflicts: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By id of a new fact, memories that say nearly the same with other values."""


async def remember_conversation(
    store: MemoryStore,
    messages: Sequence[Any],
    workspace_id: str,
    *,
    conversation_id: str,
    extract: Extractor | None = None,
    user_id: str | None = None,
) -> Remembered:
    """Write the turns of a conversation, and the facts in them, as `MemoryStore` describes it."""
    require_text(conversation_id=conversation_id)
    turns = [*_turns(messages, conversation_id)]
    telling = [each for each in turns if not is_small_talk(each.text)]
    stored = {each.id for each in await store.get([e.id for e in telling], workspace_id)}
    new = [each for each in telling if each.id not in stored]
    records = [_turn(each, conversation_id, user_id) for each in new]
    if extract is None or not new:
        if records:
            await store.put(records, workspace_id)
        return Remembered(turns=[each.id for each in records])
    known = await _known(store, new, workspace_id)
    found = extract(Extraction(turns, known))
    read = _facts(await found if isawaitable(found) else found)
    kept = _Kept(turns, {each.id for each in telling}, known, conversation_id, user_id)
    for each in read:
        kept.take(each)
    for memory in kept.facts:
        near = await store.conflicts(memory, workspace_id)
        own = [each.id for each in near if each.id not in kept.replaced and each.type != TURN]
        if own:
            kept.conflicts[memory.id] = own
    turned = [each.as_record() for each in (*records, *kept.superseded)]
    await to_thread(store.of(workspace_id).put, [*turned, *kept.records])
    return Remembered(
        turns=[each.id for each in records],
        facts=kept.facts,
        replaced=kept.replaced,
        known=kept.already,
        refused=kept.refused,
        conflicts=kept.conflicts,
    )


class _Kept:
    """The facts of an extractor, checked one by one."""

    def __init__(
        self,
        turns: Sequence[Turn],
        stored: set[str],
        known: Sequence[Memory],
        conversation_id: str,
        user_id: str | None,
    ) -> None:
        self._turns = {each.number: each for each in turns}
        self._stored, self._conversation, self._user = stored, conversation_id, user_id
        self._known = {each.id: each for each in known}
        self.facts: list[Memory] = []
        self.records: list[Record] = []
        self.superseded: list[Memory] = []
        self.replaced: dict[str, str] = {}
        self.already: list[str] = []
        self.refused: list[Refused] = []
        self.conflicts: dict[str, Sequence[str]] = {}

    def take(self, fact: Fact | Refused) -> None:
        """Store a fact, unless it is known, or says what nobody said."""
        if isinstance(fact, Refused):
            self.refused.append(fact)
            return
        problem = self._problem(fact)
        if problem:
            self.refused.append(Refused(fact, problem))
            return
        same = next(
            (
                e
                for e in (*self._known.values(), *self.facts)
                if same_words(e.content, fact.content)
            ),
            None,
        )
        if same is not None:
            self.already.append(same.id)
            return
        said = [self._turns[each] for each in fact.turns]
        memory = Memory(
            id=f"{self._conversation}/fact-{_digest(fact.content)}",
            type=fact.type,
            content=fact.content,
            confidence=fact.confidence,
            created_at=max(each.when for each in said),
            conversation_id=self._conversation,
            metadata={"said_in": [e.id for e in said]}
            | ({"user": self._user} if self._user else {}),
        )
        to = tuple(RelationTo(e.id, SAID_IN) for e in said if e.id in self._stored)
        self.facts.append(memory)
        self.records.append(memory.as_record(relations=to))
        if fact.replaces is not None:
            old = self._known[fact.replaces]
            new = {"superseded_by": memory.id, "valid_to": memory.created_at}
            self.superseded.append(old.model_copy(update=new))
            self.replaced[old.id] = memory.id

    def _problem(self, fact: Fact) -> str:
        unknown = [each for each in fact.turns if each not in self._turns]
        if unknown:
            return f"there is no turn {unknown[0]}"
        if fact.replaces is not None and fact.replaces not in self._known:
            return f"no known memory has the id '{fact.replaces}'"
        said = " ".join(self._turns[each].text for each in fact.turns)
        if fact.replaces is not None:
            said = f"{said} {self._known[fact.replaces].content}"
        days = " ".join(f"{self._turns[each].when:%Y-%m-%d %d %m}" for each in fact.turns)
        said = f"{said} {days}"
        values = {*_NUMBER.findall(fact.content)} - {*_NUMBER.findall(said)}
        codes = codes_of(fact.content) - codes_of(said)
        invented = sorted(each for each in values | codes if each not in said.lower())
        return f"no turn says '{invented[0]}'" if invented else ""


def _turns(messages: Sequence[Any], conversation_id: str) -> Iterator[Turn]:
    if isinstance(messages, str | Mapping) or not isinstance(messages, Sequence):
        problem = "a list of messages is expected"
        raise InputError(problem, place="messages", found=type(messages).__name__)
    now, seen = datetime.now(UTC), Counter[tuple[str, str]]()
    for at, message in enumerate(history_from_any_client(messages)):
        if not isinstance(message, Mapping):
            place, found = f"messages[{at}]", type(message).__name__
            raise InputError("a message is expected", place=place, found=found)
        text = _text(message.get("content")).strip()
        role = str(message.get("role"))
        if role not in _ROLES or not text:
            continue
        seen[role, text] += 1
        number = sum(seen.values())
        when = _when(messages[at] if at < len(messages) else None)
        yield Turn(
            number,
            role,
            text,
            f"{conversation_id}/turn-{_digest(f'{role} {seen[role, text]} {text}')}",
            when or now + timedelta(microseconds=number),
        )


def _when(message: Any) -> datetime | None:
    """The time that a message names; naive ones are not taken for any zone."""
    if not isinstance(message, Mapping):
        return None
    given = message.get("created_at") or message.get("timestamp")
    if isinstance(given, str):
        try:
            given = datetime.fromisoformat(given)
        except ValueError:
            return None
    return given if isinstance(given, datetime) and given.tzinfo is not None else None


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, Sequence) else ()
    texts = (each.get("text") for each in parts if isinstance(each, Mapping))
    return "\n".join(each for each in texts if isinstance(each, str))


def _turn(turn: Turn, conversation_id: str, user_id: str | None) -> Memory:
    return Memory(
        id=turn.id,
        type=TURN,
        content=turn.text,
        created_at=turn.when,
        conversation_id=conversation_id,
        metadata={"role": turn.role} | ({"user": user_id} if user_id else {}),
    )


async def _known(store: MemoryStore, turns: Sequence[Turn], workspace_id: str) -> list[Memory]:
    """What is remembered of the subjects of these turns, without turns themselves."""
    query = "\n".join(each.text for each in turns)[-_QUERY:]
    found = await store.search(query, workspace_id, limit=4 * _KNOWN)
    facts = [each.model for each in found if each.model.type != TURN]
    return facts[:_KNOWN]


def _facts(found: Any) -> Iterator[Fact | Refused]:
    """What an extractor returned: each fact, or why it is none."""
    for each in _listed(found):
        if isinstance(each, Fact):
            yield each
            continue
        try:
            yield Fact.model_validate(each)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"])) or "fact"
            yield Refused(each, f"{place}: {first['msg']}")


def _listed(found: Any) -> Sequence[Any]:
    if isinstance(found, str):
        fenced = _FENCED.search(found)
        try:
            found = json.loads(fenced[1] if fenced else found)
        except json.JSONDecodeError:
            raise InputError(
                "the text of the model is not JSON", place="extract", found=found[:200]
            ) from None
    if isinstance(found, Mapping):
        found = found.get("facts", ())
    if isinstance(found, str) or not isinstance(found, Sequence):
        fix = 'It may return a list of facts, or JSON such as {"facts": [{"content": "...", "turns": [1]}]}.'
        raise InputError("an extractor returns facts", place="extract", found=found, fix=fix)
    return found


def _digest(text: str) -> str:
    return blake2b(" ".join(text.split()).encode(errors="replace"), digest_size=8).hexdigest()


@cache
def _assembler() -> ContextAssembler:
    return ContextAssembler.from_path(
        shipped_plan("memory"), retriever_functions={"recall": lambda _: None}
    )
