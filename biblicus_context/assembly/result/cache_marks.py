"""Where a plan says that what stays the same from call to call ends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from biblicus_context.assembly.draft import Draft, Standing
from biblicus_context.assembly.steps.layout import BETWEEN_SYSTEM_TEXTS
from biblicus_context.assembly.steps.parts import HistoryPart, Part, TextPart

_DIRECTIVE = re.compile(r"messages\[(\d+)\]")


class CacheMark(NamedTuple):
    """The end of a message, or of so many of its characters."""

    message: int
    characters: int | None


def cache_marks(draft: Draft) -> Iterator[CacheMark]:
    """The ends of the parts that are marked `cache: true`, in order; of what is placed of them."""
    assert draft.standing is not None
    ends = [*_ends(draft, draft.standing)]
    whole = max((end.characters or 0 for _, end in ends), default=0)
    for part, end in ends:
        if _is_marked(draft, part):
            yield end._replace(characters=None) if end.characters == whole else end


def _ends(draft: Draft, standing: Standing) -> Iterator[tuple[Part, CacheMark]]:
    """Each placed part and where it ends; parts of the system prompt share message 0."""
    texts = draft.texts(standing)
    past = standing.history
    began = bool(past.kept or past.dropped or past.older)
    turns = bool(past.summary) + sum(turn.end - turn.first for turn in past.turns())
    system = number = 0
    leading = True
    for index, part in enumerate(draft.parts):
        if isinstance(part, HistoryPart):
            leading = leading and not began
            number += turns
            if turns:
                yield part, CacheMark(number - (not system), None)
            continue
        role = part.role if isinstance(part, TextPart) else "system"
        text = texts[index] if isinstance(part, TextPart) else standing.packs[index].text
        if not text:
            continue
        if leading and role == "system":
            system += len(text) + (len(BETWEEN_SYSTEM_TEXTS) if system else 0)
            yield part, CacheMark(0, system)
            continue
        leading = False
        number += 1
        yield part, CacheMark(number - (not system), None)


def _is_marked(draft: Draft, part: Part) -> bool:
    """Whether the directive a part comes from is marked, itself or as an alternative."""
    found = _DIRECTIVE.match(part.place)
    if found is None or draft.context.messages is None:
        return False
    return draft.context.messages[int(found[1])].cache
