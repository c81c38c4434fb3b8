"""Questions and the files that answer them: a table in CSV, or objects in JSON Lines."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from biblicus_context.base.doors import door
from biblicus_context.errors import LoadError, nearest
from biblicus_context.evaluation.collection import file_text

TABLES: Final = {".csv": ",", ".tsv": "\t"}
LINES: Final = (".jsonl", ".ndjson")
_QUESTION: Final = ("question", "query", "text")
_FILES: Final = ("file", "files", "gold", "source", "sources", "document", "documents")
_BETWEEN_FILES: Final = re.compile(r"[;\n]")
_OR: Final = "|"


class Question(NamedTuple):
    """A question, and the names of the files that answer it."""

    text: str
    files: tuple[tuple[str, ...], ...]
    """All of these are wanted, each as one of several files: `(("a.md",), ("b.md", "c.md"))`."""
    line: int


@door
def load_questions(file: Path) -> list[Question]:
    """The questions in a file; the ending of its name says how they are written.

    A row has a `question` (or `query`) and its `file` (or `files`, several in a list or separated by
    semicolons), by their names below the root of the corpus. `a.md | b.md`, in a list
    `["a.md", "b.md"]`, is one of two files.
    """
    text = file_text(file)
    rows = _table(text, file) if file.suffix.lower() in TABLES else _objects(text, file)
    questions = [_question(row, line, str(file)) for line, row in rows]
    if not questions:
        raise LoadError("there are no questions", file=str(file))
    return questions


def _table(text: str, file: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    first = text.partition("\n")[0]
    delimiter = TABLES[file.suffix.lower()]
    if delimiter not in first and ";" in first:  # as spreadsheets write it in half of the world
        delimiter = ";"
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        head = [name.strip().lower() for name in next(rows, [])]
        for cells in rows:
            if any(map(str.strip, cells)):
                yield line + 1, dict(zip(head, cells, strict=False))
            line = rows.line_num
    except csv.Error as error:
        raise LoadError(f"invalid CSV: {error}", file=str(file), line=rows.line_num) from None


def _objects(text: str, file: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            raise LoadError("invalid JSON", file=str(file), line=number) from None
        if not isinstance(row, dict):
            raise LoadError("not an object", file=str(file), line=number, found=row)
        yield number, row


def _question(row: Mapping[str, Any], line: int, file: str) -> Question:
    text = _field(row, _QUESTION, line, file)
    files = _field(row, _FILES, line, file)
    wanted = files if isinstance(files, list) else _BETWEEN_FILES.split(str(files))
    groups = tuple(dict.fromkeys(names for each in wanted if (names := _either(each))))
    if not groups:
        raise LoadError("this question names no file", file=file, line=line, found=text)
    return Question(str(text), groups, line)


def _either(wanted: object) -> tuple[str, ...]:
    """The files of which one is enough."""
    names = wanted if isinstance(wanted, list) else str(wanted).split(_OR)
    return tuple(dict.fromkeys(name.strip() for name in map(str, names) if name.strip()))


def _field(row: Mapping[str, Any], names: Sequence[str], line: int, file: str) -> Any:
    for name in names:
        if row.get(name):
            return row[name]
    if any(name in row for name in names):
        raise LoadError(f"the {names[0]} is empty", file=file, line=line)
    found = next((each for each in row if nearest(str(each), names)), None)
    problem = f"a row needs a {names[0]}"
    raise LoadError(problem, file=file, line=line, found=found, valid=names)
