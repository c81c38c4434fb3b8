"""Contexts that lead into a cycle of inserts; rules are not run on them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from biblicus_context.reading.outline import Outline


def cyclic_contexts(outlines: Iterable[Outline]) -> frozenset[str]:
    """The names of contexts whose inserts lead into a cycle."""
    contexts = [each for each in outlines if each.kind == "context"]
    names = {each.name for each in contexts}
    inserts: dict[str, set[str]] = {name: set() for name in names}
    inserting = defaultdict(list)
    for each in contexts:
        inserted = {use.name for use in each.uses if use.noun == "pack"} & names
        for name in inserted - inserts[each.name]:
            inserts[each.name].add(name)
            inserting[name].append(each.name)
    ending = [name for name, inserted in inserts.items() if not inserted]
    for (
        name
    ) in ending:  # the loop appends to this list: a context ends when everything it inserts ends
        for user in inserting[name]:
            inserts[user].discard(name)
            if not inserts[user]:
                ending.append(user)
    return frozenset(names.difference(ending))
