"""Records: JSON and JSON Lines; each record is a section, and each turn of a transcript."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

from biblicus_context.base.doors import door
from biblicus_context.ingest.chunks.section import Parsed, Section, UnreadableError, first_notes
from biblicus_context.ingest.files.content import Content
from biblicus_context.ingest.readers.record_code import code_of
from biblicus_context.ingest.readers.record_fields import fields_of, first_of
from biblicus_context.ingest.readers.small_records import of_many
from biblicus_context.ingest.readers.transcript import turns_of

_TEXTS = ("text", "content", "body", "message", "abstract", "description", "code")
_NAMES = ("title", "name", "subject")
_FEW_WORDS = 3
"""Spaces in a value that is a sentence, and not a name."""


@door
def read_json_lines(content: Content) -> Parsed:
    """A section for each line: turns of a transcript, or records."""
    records: list[tuple[int, Any]] = []
    notes: list[str] = []
    for number, line in enumerate(content.text().split("\n"), 1):
        if line.strip():
            try:
                records.append((number, json.loads(line)))
            except (ValueError, RecursionError):
                notes.append(f"line {number} is not JSON")
    if not records:
        raise UnreadableError("no line of it is JSON")
    remarks = first_notes(notes, "more lines are not JSON")
    if turns := turns_of(records):
        return Parsed("conversation", turns, title=content.name, notes=remarks)
    return Parsed("data", of_many(_records(records)), notes=remarks)


@door
def read_json(content: Content) -> Parsed:
    """A transcript as turns, a list as records, anything else as the text it is."""
    text = content.text()
    try:
        value = json.loads(text)
        records = [(None, each) for each in (value if isinstance(value, list) else [value])]
        may_talk = isinstance(value, list) or (isinstance(value, dict) and "messages" in value)
        if may_talk and (turns := turns_of(records)):
            return Parsed("conversation", turns)
        if isinstance(value, list):
            return Parsed("data", of_many(_records(records)))
        if "\n" in text.strip():
            return Parsed("data", (Section(text, first_line=1, kind="record"),))
        return Parsed("data", (_record(value, None),))
    except (ValueError, RecursionError) as error:
        raise UnreadableError(f"it is not JSON ({type(error).__name__})") from None


def _records(values: Iterable[tuple[int | None, Any]]) -> Iterator[Section]:
    """A section for each record; adjacent plain values share one, with a line for each."""
    for (is_plain, _), grouped in groupby(enumerate(values), _neighbours):
        run = [each for _, each in grouped]
        if is_plain:
            text = "\n".join(json.dumps(value, ensure_ascii=False) for _, value in run)
            yield Section(text, first_line=run[0][0], kind="record")
        else:
            yield from (_record(value, line) for line, value in run)


def _neighbours(numbered: tuple[int, tuple[int | None, Any]]) -> tuple[bool, int]:
    """The same key for plain values on adjacent lines, or without lines."""
    number, (line, value) = numbered
    return not isinstance(value, dict | list), 0 if line is None else line - number


def _record(value: Any, line: int | None) -> Section:
    fields = fields_of(value) if isinstance(value, dict) else {}
    key = next((each for each in _TEXTS if _has_words(fields.get(each))), None)
    if key is None:
        text = json.dumps(value, ensure_ascii=False, indent=1)
        return Section(text, first_line=line, last_line=line, kind="record")
    title = first_of(fields, _NAMES)
    said = fields[key]
    code = code_of(said, fields)
    return Section(
        "\n".join([said, *_beside(fields, key)]),
        first_line=line,
        last_line=line,
        heading=(title,) if title else code.path if code else (),
        kind="record",
        name=code.path[-1] if code and code.path else "",
        summary=code.summary if code else "",
        language=code.language if code else None,
        metadata={
            name: each
            for name, each in fields.items()
            if name != key and isinstance(each, str | int | float | bool)
        },
    )


def _has_words(value: object) -> bool:
    return isinstance(value, str) and not value.isspace() and bool(value)


def _beside(fields: Mapping[str, Any], key: str) -> Iterator[str]:
    """What else the record says, if that is more than its text; ids, dates and names are not said."""
    others = ((name, each) for name, each in fields.items() if name not in {key, *_NAMES})
    said = {
        name: text for name, each in others if (text := _written(each)).count(" ") >= _FEW_WORDS
    }
    if sum(map(len, said.values())) > len(fields[key]):
        yield from (f"{name}: {text}" for name, text in said.items())


def _written(value: Any) -> str:
    """A value as text, in which only its own words have spaces between them."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
