"""A file's text becomes one tree for each document in it."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from contextlib import suppress
from itertools import pairwise
from typing import NamedTuple

import yaml
from yaml.events import DocumentStartEvent, Event, ScalarEvent

from biblicus_context.errors import LoadError
from biblicus_context.reading.mistakes import Mistake
from biblicus_context.reading.yaml.compose import Composer
from biblicus_context.reading.yaml.decoding import as_text
from biblicus_context.reading.yaml.parser_errors import syntax_mistake
from biblicus_context.reading.yaml.tree import Place, Tree

MAX_DOCUMENTS = 10_000

_LOADER: type[yaml.CSafeLoader | yaml.SafeLoader] = (
    yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
)
# In the first column "---" begins a document whatever surrounds it, so a document that
# cannot be parsed leaves those after it readable.
_BEGIN = re.compile(r"^---(?=\s|$)", re.MULTILINE)
_DIRECTIVE = re.compile(r"^%.*", re.MULTILINE)
_LINE_BREAK = re.compile(r"\r\n|\r|\n")
_BEGIN_PLAN = "Begin with 'kind: context' and 'name: ...'."


class _Chunk(NamedTuple):
    """A stretch of a file that holds one document."""

    text: str
    file: str
    first_line: int

    def error(
        self,
        mistake: Mistake,
        problem: str,
        line: int = 0,
        column: int = 0,
        *,
        found: str | None = None,
        fix: str | None,
    ) -> LoadError:
        place = Place(self.first_line + line, column + 1)
        return place.error(self.file, problem, found=found or None, fix=fix, mistake=mistake)


def read_trees(data: str | bytes, file: str) -> Iterator[Tree | LoadError]:
    """Every document of a file in order; what is wrong with one is yielded in its place."""
    try:
        text = as_text(data, file)
    except LoadError as error:
        yield error
        return
    found = None
    for number, chunk in enumerate(_chunks(text, file)):
        if number == MAX_DOCUMENTS:
            problem = f"more than {MAX_DOCUMENTS:,} documents"
            yield chunk.error("too-many-documents", problem, fix="Split the file.")
            return
        for found in _documents(chunk):
            yield found
    if found is None:
        problem = "the file is empty"
        yield _Chunk("", file, 1).error("empty-document", problem, fix=_BEGIN_PLAN)


def _chunks(text: str, file: str) -> Iterator[_Chunk]:
    starts = [0, *(match.start() for match in _BEGIN.finditer(text) if match.start()), len(text)]
    line = 1
    for start, end in pairwise(starts):
        yield _Chunk(text[start:end], file, line)
        line += len(_LINE_BREAK.findall(text, start, end))


def _documents(chunk: _Chunk) -> Iterator[Tree | LoadError]:
    directive = _DIRECTIVE.search(chunk.text)
    if directive:
        line = len(_LINE_BREAK.findall(chunk.text, 0, directive.start()))
        problem, fix = "YAML directives are not supported", "Remove this line."
        yield chunk.error("yaml-directive", problem, line, found=directive.group(), fix=fix)
        return
    events = _events(chunk.text)
    try:
        for event in events:
            if isinstance(event, DocumentStartEvent):
                yield from _document(events, chunk)
    except yaml.YAMLError as error:
        yield _syntax_error(error, chunk)


def _events(text: str) -> Generator[Event, None, None]:
    yield from yaml.parse(text, Loader=_LOADER)


def _document(events: Generator[Event, None, None], chunk: _Chunk) -> Iterator[Tree | LoadError]:
    composer = Composer(events, chunk.file, chunk.first_line)
    problems = composer.problems
    try:
        root = composer.root()
    except LoadError as error:
        events.close()
        problems.append(error)
    except yaml.YAMLError as error:
        problems.append(_syntax_error(error, chunk))
    else:
        if root.value is None:
            empty = chunk.error("empty-document", "the document is empty", fix=_BEGIN_PLAN)
            problems.append(empty)
        if not problems:
            loose = composer.loose_anchors
            yield Tree(chunk.file, root, chunk.text, chunk.first_line, loose)
    yield from _without_echoes(problems, chunk)


def _without_echoes(problems: list[LoadError], chunk: _Chunk) -> Iterator[LoadError]:
    """The problems; a second `kind` is one that explains every key that is repeated after it."""
    second = next((each for each in problems if _is_second_kind(each)), None)
    if second is None or second.line is None:
        yield from problems
        return
    for each in problems:
        if each is second:
            problem = "a second document begins here without a '---'"
            fix = "Write '---' in a line of its own above."
            line = second.line - chunk.first_line
            yield chunk.error("duplicate-key", problem, line, found="kind", fix=fix)
        elif each.mistake != "duplicate-key" or each.column != 1 or (each.line or 0) < second.line:
            yield each


def _is_second_kind(error: LoadError) -> bool:
    return error.mistake == "duplicate-key" and error.found == "kind" and error.column == 1


def _syntax_error(error: yaml.YAMLError, chunk: _Chunk) -> LoadError:
    lines = _LINE_BREAK.split(chunk.text)
    mistake, problem, fix, mark = syntax_mistake(error, lines)
    line, column = (mark.line, mark.column) if mark else (0, 0)
    if line >= len(lines):  # libyaml reports the end of a text as a line of its own
        line, column = len(lines) - 1, len(lines[-1])
    found = lines[line][column:]
    return chunk.error(mistake, problem, line, column, found=found, fix=fix)


class WrittenText(NamedTuple):
    """The place of a quoted, a block or a longer text; `end` is the place after it."""

    style: str
    start: Place
    end: Place


def written_texts(text: str, *, near: str) -> Iterator[WrittenText]:
    """The texts in which a `#` begins no comment, as far as a file can be parsed.

    Documents that do not contain `near` are skipped.
    """
    for chunk in _chunks(text, ""):
        if near in chunk.text and not _DIRECTIVE.search(chunk.text):
            with suppress(yaml.YAMLError):
                for event in _events(chunk.text):
                    if isinstance(event, ScalarEvent):
                        yield _written(event, chunk.first_line)


def _written(event: ScalarEvent, first_line: int) -> WrittenText:
    start, end = event.start_mark, event.end_mark
    assert start is not None
    assert end is not None
    return WrittenText(
        event.style or "",
        Place(start.line + first_line, start.column + 1),
        Place(end.line + first_line, end.column + 1),
    )
