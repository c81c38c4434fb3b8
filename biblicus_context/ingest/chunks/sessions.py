"""Turns of one session follow each other, however a log mixes sessions."""

from __future__ import annotations

from collections.abc import Iterable

from biblicus_context.ingest.chunks.section import Section
from biblicus_context.ingest.sanitizing import name_or_none


def by_session(sections: Iterable[Section]) -> list[Section]:
    """The sessions in the order of their first sections, which stay in order within each.

    >>> said = [Section("one", session="a"), Section("two", session="b"), Section("three", session="a")]
    >>> [section.text for section in by_session(said)]
    ['one', 'three', 'two']
    """
    found = [*sections]
    # By their names as stores keep them; two that are cut to the same name become one session.
    names = {name: name_or_none(name) for name in dict.fromkeys(each.session for each in found)}
    order = {name: place for place, name in enumerate(dict.fromkeys(names.values()))}
    return sorted(found, key=lambda each: order[names[each.session]])
