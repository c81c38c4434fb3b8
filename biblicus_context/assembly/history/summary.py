"""Turns that have to go are replaced by one summary message.

Only what is new since the last call is summarised: the summary of a stretch of turns is remembered
by the content of that stretch, and the next call continues from the longest stretch it knows.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from biblicus_context.assembly.call import Message
from biblicus_context.assembly.compaction import Shortener
from biblicus_context.assembly.draft import Draft
from biblicus_context.assembly.history.selection import SelectedTurns
from biblicus_context.assembly.history.turns import history_part
from biblicus_context.assembly.packs.row import SMALLEST_REMNANT
from biblicus_context.assembly.registries import Registries
from biblicus_context.assembly.steps.parts import HistoryPart
from biblicus_context.base.bounded_memory import BoundedMemory
from biblicus_context.base.effects import Effectful

HEADING = "Summary of the earlier conversation:\n"
ROLE = "system"
PART_OF_ROOM = 4
"""A summary may take one part in this many of the history's room, and what else is left of it."""
MOST_CHARACTERS = 400_000
"""Of the turns to summarise, so that the first summary of a very long history stays bounded."""

Select = Callable[[Draft, int | None], SelectedTurns]


def summary_message(text: str) -> dict[str, str]:
    """The message that replaces the turns that went."""
    return {"role": ROLE, "content": f"{HEADING}{text}"}


def summarised(
    draft: Draft, registries: Registries, room: int, select: Select
) -> Effectful[SelectedTurns]:
    """The turns that fit, with a summary of the others where the plan asks for one."""
    selection = select(draft, room)
    part = history_part(draft)
    if part is None or part.spec.compactor is None or not selection.over_budget:
        return selection
    room = min(room, draft.limits.part_of_budget(part.spec.budget) or room)
    smaller = select(draft, room - room // PART_OF_ROOM)
    heading = draft.limits.meter.measure(summary_message(""))
    left = room - smaller.tokens - heading
    # What a history that is held leaves free is for the turns to come.
    held = part.spec.low_mark is not None or draft.call.previous is not None
    anew = min(left, room // PART_OF_ROOM - heading) if held else left
    if anew < SMALLEST_REMNANT:
        return selection
    end = smaller.first_kept if smaller.first_kept is not None else len(draft.call.history)
    text = yield from _summary(draft, registries, part, end, Rooms(left, anew))
    tokens = draft.limits.meter.measure(summary_message(text))
    if not text.strip() or smaller.tokens + tokens > room:
        return selection
    return smaller._replace(summary=text, summary_tokens=tokens)


class Rooms(NamedTuple):
    """The tokens that a summary may take."""

    as_it_is: int
    """For a summary that is there already."""
    anew: int


def _summary(
    draft: Draft, registries: Registries, part: HistoryPart, end: int, rooms: Rooms
) -> Effectful[str]:
    compactor = registries.yardsticks.compactors.build(part.spec.compactor)
    name = json.dumps(part.spec.compactor, default=str, sort_keys=True)
    going = draft.call.history[:end]
    digests = _digests(going)
    known = _longest_known(registries.summaries, name, digests)
    before, start = max(_sent(draft, end), known, key=itemgetter(1))
    text = "\n\n".join([*([before] if before else []), *map(_line, going[start:])])
    room = rooms.as_it_is if start == end else rooms.anew
    shortener = Shortener(compactor, draft.limits.counter, draft.call.question)
    answer = yield from shortener.shorten(text[-MOST_CHARACTERS:], room)
    registries.summaries.put((name, digests[-1]), answer.text)
    return answer.text


def _sent(draft: Draft, end: int) -> tuple[str, int]:
    """The summary that the previous result began its history with, and how far it goes."""
    previous = draft.call.previous
    place = previous.place_in(draft.call.history) if previous else None
    if previous is None or previous.first is None or not place or previous.first > end:
        return "", 0
    message = previous.messages[place - 1]
    content = message.get("content")
    if message.get("role") != ROLE or not isinstance(content, str):
        return "", 0
    if not content.startswith(HEADING):
        return "", 0
    return content.removeprefix(HEADING), previous.first


def _longest_known(
    memory: BoundedMemory[tuple[str, str], str], name: str, digests: list[str]
) -> tuple[str, int]:
    for end in range(len(digests), 0, -1):
        summary = memory.get((name, digests[end - 1]))
        if summary is not None:
            return summary, end
    return "", 0


def _digests(messages: Sequence[Message]) -> list[str]:
    """For each message, a digest of the history up to and including it."""
    running = hashlib.blake2b(digest_size=16)
    digests: list[str] = []
    for message in messages:
        running.update(json.dumps(dict(message), sort_keys=True, default=str).encode())
        digests.append(running.copy().hexdigest())
    return digests


def _line(message: Message) -> str:
    """A message as a line of a transcript."""
    calls = [f"[calls {_name(call)}]" for call in message.get("tool_calls") or ()]
    return f"{message.get('role')}: {' '.join([_text(message.get('content')), *calls]).strip()}"


def _name(call: Any) -> str:
    function = call.get("function") if isinstance(call, Mapping) else None
    return str(function.get("name")) if isinstance(function, Mapping) else "a tool"


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence):
        texts = (part.get("text") for part in content if isinstance(part, Mapping))
        return " ".join(text for text in texts if isinstance(text, str))
    return ""
