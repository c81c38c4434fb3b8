"""How one block is written: the words before its text, the text, and the words after it."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple

from biblicus_context.retrieval.packs.writing.values import (
    ITEM_VALUES,
    PLACE_NAMES,
    Item,
    names_of,
    text_at,
)
from biblicus_context.text.templates.placeholders import unknown_name
from biblicus_context.text.templates.segments import Path, segments_of
from biblicus_context.text.templates.template import compile_template, writes_once

_CONTENT: Final = "content"
_MARK: Final = f"\ue000{os.urandom(16).hex()}\ue000"
"""What stands for the text of a block in a template with Jinja2: no value can spell it."""
_MOST_REMEMBERED: Final = 512


class WrittenItem(NamedTuple):
    """A block as a template writes it; only a `body` that is its text may be shortened."""

    head: str
    body: str
    tail: str = ""


class ItemTemplate(NamedTuple):
    """A compiled template of an item."""

    write: Callable[[Item], WrittenItem]
    is_content_once: bool = False
    """Whether the body is the text of the block, unchanged, so that it may be shortened."""
    place_names: frozenset[str] = frozenset()
    """What it names of its place among the others: it is written again when that changes."""


@lru_cache(maxsize=_MOST_REMEMBERED)
def item_template(source: str, place: str) -> ItemTemplate:
    """The template of this source; an unknown name is a TemplateError.

    It has Jinja2 run only where it uses more than placeholders.
    """
    segments = segments_of(source)
    if segments is None:
        return _with_jinja(source, place)
    for path in segments[1::2]:
        _check_name(path[0], place)
    names = [path[0] for path in segments[1::2]]
    place_names = PLACE_NAMES.intersection(names)
    if names.count(_CONTENT) != 1:
        whole = _joined(segments)
        return ItemTemplate(lambda item: WrittenItem("", whole(item)), place_names=place_names)
    at = segments.index((_CONTENT,))
    head, tail = _joined(segments[:at]), _joined(segments[at + 1 :])
    return ItemTemplate(
        lambda item: WrittenItem(head(item), item.block.text, tail(item)),
        is_content_once=True,
        place_names=place_names,
    )


def _check_name(name: str, place: str) -> None:
    if name not in ITEM_VALUES:
        raise unknown_name(name, ITEM_VALUES, place=place)


def _joined(segments: tuple[str | Path, ...]) -> Callable[[Item], str]:
    """What writes words and the values between them."""
    values = [text_at(path) for path in segments if isinstance(path, tuple)]
    if not values:
        words = "".join(map(str, segments))
        return lambda item: words
    pattern = "".join(
        part.replace("%", "%%") if isinstance(part, str) else "%s" for part in segments
    )
    return lambda item: pattern % tuple([value(item) for value in values])


def _with_jinja(source: str, place: str) -> ItemTemplate:
    template = compile_template(source, place=place)
    used = sorted({name.split(".")[0] for name in template.names})
    for name in used:
        _check_name(name, place)
    place_names = PLACE_NAMES & template.names
    if not writes_once(source, _CONTENT):
        return ItemTemplate(
            lambda item: WrittenItem("", template.render(names_of(item, used))),
            place_names=place_names,
        )

    def write(item: Item) -> WrittenItem:
        written = template.render({**names_of(item, used), _CONTENT: _MARK})
        head, mark, tail = written.partition(_MARK)
        return WrittenItem(head, item.block.text if mark else "", tail)

    return ItemTemplate(write, is_content_once=True, place_names=place_names)
