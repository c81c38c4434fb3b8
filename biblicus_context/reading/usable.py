"""Which declarations of a project with errors can still be used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from biblicus_context.reading.names import NOUN_OF, declared_names, is_installed
from biblicus_context.reading.outline import Outline


def usable_places(outlines: Sequence[Outline], also: Collection[str] = ()) -> set[int]:
    """The places of those whose name is declared once and whose uses can all be used.

    What is known grows from the declarations that use nothing, so that no cycle is ever in it.
    """
    declared = Counter((NOUN_OF[each.kind], each.name) for each in outlines)
    known = {noun: {*names, *also} for noun, names in declared_names(()).items()}
    usable: set[int] = set()
    waiting = {
        place: each
        for place, each in enumerate(outlines)
        if declared[NOUN_OF[each.kind], each.name] == 1
    }
    while True:
        ready = [
            place
            for place, each in waiting.items()
            if all(use.name in known[use.noun] or is_installed(use) for use in each.uses)
        ]
        if not ready:
            return usable
        usable.update(ready)
        for place in ready:
            each = waiting.pop(place)
            known[NOUN_OF[each.kind]].add(each.name)
