"""Turns that have to go are replaced by one summary message.

A summary depends on the turns, the compactor, the counter and its room, and on nothing else: the
same call gives the same bytes from an assembler that is new and from one that served others. It is
written for no question, as it stays the same while the history begins at the same turn. Only what
is new is summarised where the previous result is passed: its summary is continued.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from biblicus_context.assembly.call import Message
from biblicus_context.assembly.draft import Draft
from biblicus_context.assembly.history.selection import SelectedTurns
from biblicus_context.assembly.history.turns import history_part
from biblicus_context.assembly.limits import SMALLEST_REMNANT
from biblicus_context.assembly.registries import Registries
from biblicus_context.assembly.shortener import Shortener
from biblicus_context.assembly.steps.parts import HistoryPart
from biblicus_context.base.effects import Effectful

ROLE = "system"
PART_OF_ROOM = 4
"""A summary may take one part in this many of the history's room, and what else is left of it."""
MOST_CHARACTERS = 400_000
"""Of the turns to summarise, the newest, so that the work does not grow with the conversation."""

Select = Callable[[Draft, int | None], SelectedTurns]


def summarised(
    draft: Draft, registries: Registries, room: int, select: Select
) -> Effectful[SelectedTurns]:
    """The turns that fit, with a summary of the others where the plan asks for one."""
    selection = select(draft, room)
    part = history_part(draft) if selection.over_budget else None
    if part is None or part.spec.compactor is None:
        return selection
    room = min(room, draft.limits.part_of_budget(part.spec.budget) or room)
    heading = _measured(draft, part, "")
    # What a history that is held leaves free is for the turns to come.
    held = part.spec.low_mark is not None or draft.call.previous is not None
    reserve = room // PART_OF_ROOM
    smaller = select(draft, room - reserve)
    left = room - smaller.tokens - heading
    most = _steady(draft, part, min(left, reserve - heading)) if held else left
    if most < SMALLEST_REMNANT:
        return selection
    end = smaller.first_kept if smaller.first_kept is not None else len(draft.call.history)
    text = yield from _summary(draft, registries, part, end, left, most)
    tokens = _measured(draft, part, text)
    if not text.strip() or smaller.tokens + tokens > room:
        return selection
    if not held:
        # Turns use what a short summary leaves. They are in the summary as well: to write it again
        # without them would be a second call to a model, and another length.
        smaller = select(draft, room - tokens)
    return smaller._replace(summary=_content(part, text), summary_tokens=tokens)


def summary_message(content: str) -> dict[str, str]:
    """The message that replaces the turns that went."""
    return {"role": ROLE, "content": content}


def _content(part: HistoryPart, text: str) -> str:
    return f"{part.spec.summary_heading}\n{text}"


def _measured(draft: Draft, part: HistoryPart, text: str) -> int:
    return draft.limits.meter.measure(summary_message(_content(part, text)))


def _steady(draft: Draft, part: HistoryPart, most: int) -> int:
    """A room that is the same in each call, although what is left differs with every question.

    A part of the whole, which is the same in each call; reductions by an eighth absorb small
    differences of what is left. Another room would be another summary, and another prefix.
    """
    limits = (draft.limits.budget, draft.limits.part_of_budget(part.spec.budget))
    whole = min((limit for limit in limits if limit is not None), default=most)
    room = whole // PART_OF_ROOM
    while room > max(0, most):
        room -= room // 8 or 1
    return room


def _summary(
    draft: Draft, registries: Registries, part: HistoryPart, end: int, left: int, most: int
) -> Effectful[str]:
    """The summary of the messages before `end`: in what is left, if it is there already."""
    before, start = _sent(draft, part, end)
    if start == end and draft.limits.counter.count(before) <= left:
        return before
    text = _transcript(before, draft.call.history, start, end)
    limits = (draft.limits.counter.name, most)
    settings = json.dumps(part.spec.compactor, default=str, sort_keys=True)
    digest = hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=16).hexdigest()
    key = (settings, *limits, digest)
    known = registries.summaries.get(key)
    if known is not None:
        return known
    compactor = registries.yardsticks.compactors.build(part.spec.compactor)
    answer = yield from Shortener(compactor, draft.limits.counter, "").shorten(text, most)
    # Threads that asked at the same time all get the first answer.
    return registries.summaries.get_or_compute(key, lambda: answer.text)


def _sent(draft: Draft, part: HistoryPart, end: int) -> tuple[str, int]:
    """The summary that the previous result began its history with, and how far it goes."""
    previous = draft.call.previous
    place = previous.place_in(draft.call.history) if previous else None
    if previous is None or previous.first is None or not place or previous.first > end:
        return "", 0
    message = previous.messages[place - 1]
    content, heading = message.get("content"), _content(part, "")
    if message.get("role") != ROLE or not isinstance(content, str):
        return "", 0
    if not content.startswith(heading):
        return "", 0
    return content.removeprefix(heading), previous.first


def _transcript(before: str, history: Sequence[Message], start: int, end: int) -> str:
    """The newest of these messages, after the summary of those before them."""
    lines: list[str] = []
    characters = 0
    for number in range(end - 1, start - 1, -1):
        lines.append(_line(history[number]))
        characters += len(lines[-1])
        if characters > MOST_CHARACTERS:
            break
    text = "\n\n".join([*([before] if before else []), *reversed(lines)])
    return text[-MOST_CHARACTERS:]


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
