"""Markdown: sections below headings, and the properties in its front matter."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

import yaml

from biblicus_context.base.doors import door
from biblicus_context.base.timestamps import moment
from biblicus_context.ingest.chunks.headings import Heading, sections_below
from biblicus_context.ingest.chunks.section import Parsed
from biblicus_context.ingest.files.content import Content
from biblicus_context.stores.model import Json

_MARKS = frozenset("#=-`~")
"""What a heading, the line under one, or a fence begins with."""
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]|$)")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_NO_TEXT = re.compile(r"[ \t]*$|[ \t]*(?:[-*+>|]|\d+[.)])[ \t]| {4}|\t|---")
_FRONT = re.compile(r"---[ \t]*\n(.*?\n)?---[ \t]*(?:\n|$)", re.DOTALL)
_MOST_FRONT = 64 * 1024
_DATES = ("date", "created", "updated", "modified", "lastmod", "valid_from", "valid_to")
_TAGS = ("tags", "keywords", "categories")


class _AliasError(yaml.YAMLError):
    """The front matter uses an alias; a few nested ones can expand to gigabytes."""


class _Loader(yaml.SafeLoader):
    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise _AliasError
        return super().compose_node(parent, index)

    def construct_yaml_timestamp(self, node: yaml.ScalarNode) -> Any:
        """An invalid date, such as the 30th of February, stays text."""
        try:
            return super().construct_yaml_timestamp(node)
        except (ValueError, OverflowError):
            return self.construct_scalar(node)


_Loader.add_constructor("tag:yaml.org,2002:timestamp", _Loader.construct_yaml_timestamp)


@door
def read_markdown(content: Content) -> Parsed:
    """A section below each heading; front matter gives title, dates, tags and metadata."""
    text = content.text()
    front = _FRONT.match(text[:_MOST_FRONT])
    said, notes = _front_matter(front[1] or "") if front else ({}, ())
    if front and not notes:  # empty lines stay, so that line numbers below are right
        text = "\n" * front[0].count("\n") + text[front.end() :]
    headings = [*_headings(text.split("\n"))]
    first = next((heading.text for heading in headings if heading.level == 1), "")
    return Parsed(
        "markdown",
        tuple(sections_below(text, headings)),
        title=_words(said.get("title")) or first,
        created=moment(said.get("date") or said.get("created")),
        updated=moment(said.get("updated") or said.get("modified") or said.get("lastmod")),
        confidence=_weight(said, "confidence"),
        importance=_weight(said, "importance"),
        parent=_words(said.get("parent")),
        position=_place(said.get("position")),
        superseded_by=_words(said.get("superseded_by")),
        valid_from=moment(said.get("valid_from")),
        valid_to=moment(said.get("valid_to")),
        tags=tuple(words for key in _TAGS for tag in _tags(said, key) if (words := _words(tag))),
        metadata={str(key): _plain(value) for key, value in said.items() if key not in _TAGS},
        notes=(*notes, *_not_tags(said), *_not_weights(said), *_not_dates(said)),
    )


def _headings(lines: Sequence[str]) -> Iterator[Heading]:
    fence = ""
    for number, line in enumerate(lines, 1):
        if line[:4].lstrip(" ")[:1] not in _MARKS:
            continue  # most lines are prose
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not line.strip(" `~"):
                fence = ""
        elif mark:
            fence = mark[1]
        elif found := _heading(lines, number, line):
            yield found


def _heading(lines: Sequence[str], number: int, line: str) -> Heading | None:
    if atx := _ATX.match(line):
        return Heading(number, len(atx[1]), _without_closing(line[atx.end() :].strip()))
    above = lines[number - 2] if number > 1 else ""
    before = lines[number - 3] if number > 2 else ""
    under = _UNDERLINE.match(line)
    if under and not _NO_TEXT.match(above) and not before.strip() and not _ATX.match(above):
        return Heading(number - 1, 1 if under[1][0] == "=" else 2, above.strip())
    return None


def _without_closing(words: str) -> str:
    bare = words.rstrip("#")
    return bare.rstrip() if bare != words and (not bare or bare[-1] in " \t") else words


def _front_matter(text: str) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    try:
        said = yaml.load(text, _Loader) or {}  # noqa: S506 - it is a SafeLoader
    except _AliasError:
        return {}, ("its front matter uses aliases, so it is read as text",)
    except (yaml.YAMLError, ValueError, TypeError, AttributeError, RecursionError):
        return {}, ("its front matter is not YAML, so it is read as text",)
    if not isinstance(said, dict):
        return {}, ("its front matter is not a mapping, so it is read as text",)
    return said, ()


def _tags(said: Mapping[str, Any], key: str) -> list[Any]:
    """The tags in a field, as a list or separated by commas."""
    value = said.get(key)
    if isinstance(value, str):
        return value.split(",")
    return value if isinstance(value, list) else [value] * (value is not None)


def _not_tags(said: Mapping[str, Any]) -> Iterator[str]:
    for key in _TAGS:
        if None in map(_words, _tags(said, key)):
            yield f"{key} must be texts or numbers; other values are ignored"


def _words(value: object) -> str | None:
    """A text or a number as it is written; None where it is neither."""
    if isinstance(value, bool) or not isinstance(value, str | int | float | date):
        return None
    try:
        return str(value).strip()
    except ValueError:  # a number of more digits than Python writes
        return None


def _place(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _weight(said: Mapping[str, Any], key: str) -> float | None:
    value = said.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= 1 else None


def _not_weights(said: Mapping[str, Any]) -> Iterator[str]:
    for key in ("confidence", "importance"):
        if said.get(key) is not None and _weight(said, key) is None:
            yield f"{key} must be a number from 0 to 1"


def _not_dates(said: Mapping[str, Any]) -> Iterator[str]:
    for key in _DATES:
        if said.get(key) and moment(said[key]) is None:
            yield f"{key} must be a date"


def _plain(value: Any) -> Json:
    match value:
        case dict():
            return {str(key): _plain(each) for key, each in value.items()}
        case list() | tuple() | set():
            return [_plain(each) for each in value]
        case str() | int() | float() | bool() | None:
            return value
        case _:
            return str(value)
