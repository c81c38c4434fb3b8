"""A file's text becomes one tree for each document in it."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from itertools import pairwise
from typing import NamedTuple

import yaml
from yaml.events import DocumentStartEvent, Event

from biblicus_context.errors import LoadError
from biblicus_context.reading.characters import as_text
from biblicus_context.reading.compose import Composer
from biblicus_context.reading.syntax import objection
from biblicus_context.reading.tree import Tree

MAX_DOCUMENTS = 10_000

_LOADER: type[yaml.CSafeLoader | yaml.SafeLoader] = (
    yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
)
# In the first column "---" begins a document whatever surrounds it, so a document that
# cannot be parsed leaves those behind it readable.
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
        self, problem: str, line: int, column: int, *, found: str | None = None, fix: str | None
    ) -> LoadError:
        line, column = self.first_line + line, column + 1
        found = found or None
        return LoadError(problem, file=self.file, line=line, column=column, found=found, fix=fix)


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
            yield chunk.error(problem, 0, 0, fix="Split the file.")
            return
        for found in _documents(chunk):
            yield found
    if found is None:
        yield _Chunk("", file, 1).error("the file declares nothing", 0, 0, fix=_BEGIN_PLAN)


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
        fix = "Remove this line."
        yield chunk.error("directives are not read", line, 0, found=directive.group(), fix=fix)
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
            problems.append(chunk.error("the document is empty", 0, 0, fix=_BEGIN_PLAN))
        if not problems:
            yield Tree(chunk.file, root)
    yield from problems


def _syntax_error(error: yaml.YAMLError, chunk: _Chunk) -> LoadError:
    problem, fix, mark = objection(error)
    lines = _LINE_BREAK.split(chunk.text)
    line, column = (mark.line, mark.column) if mark else (0, 0)
    if line >= len(lines):  # libyaml reports the end of a text as a line of its own
        line, column = len(lines) - 1, len(lines[-1])
    return chunk.error(problem, line, column, found=lines[line][column:], fix=fix)
