"""The program that reads a PDF from its standard input, in a process that can be killed."""

from __future__ import annotations

import io
import json
import logging
import sys
from collections.abc import Callable
from datetime import datetime
from typing import Any

_UNREADABLE = 3
_LONGEST_MESSAGE = 200


def main(memory: int, seconds: int, characters: int) -> int:
    """Print the pages and what is known of the document as JSON."""
    _limit(memory, seconds)
    logging.disable()
    from pypdf import PdfReader  # optional, and within the limits

    try:
        reader = PdfReader(io.BytesIO(sys.stdin.buffer.read()))
        if reader.is_encrypted and not reader.decrypt(""):
            return _refused("it is encrypted")
        pages: list[str] = []
        left = characters
        for page in reader.pages:
            pages.append(page.extract_text())
            left -= len(pages[-1])
            if left < 0:
                return _refused(f"it has more than {characters:,} characters")
        answer = {"pages": pages, **_known(reader)}
    except MemoryError:
        return _refused("reading it takes too much memory")
    except Exception as error:
        said = " ".join(str(error).split())[:_LONGEST_MESSAGE]
        return _refused(f"it is not a valid PDF ({type(error).__name__}: {said})")
    sys.stdout.write(json.dumps(answer))
    return 0


def _known(reader: Any) -> dict[str, str | None]:
    said = reader.metadata
    if said is None:
        return dict.fromkeys(("title", "author", "subject", "created", "updated"))
    return {
        "title": _text(said.title),
        "author": _text(said.author),
        "subject": _text(said.subject),
        "created": _moment(lambda: said.creation_date),
        "updated": _moment(lambda: said.modification_date),
    }


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _moment(read: Callable[[], datetime | None]) -> str | None:
    try:
        moment = read()
    except ValueError:  # a date that is none
        return None
    if moment is None:
        return None
    return (moment if moment.tzinfo else moment.astimezone()).isoformat()


def _limit(memory: int, seconds: int) -> None:
    try:
        import resource  # not on Windows, where only the caller's clock limits
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))


def _refused(reason: str) -> int:
    sys.stderr.write(f"{reason}\n")
    return _UNREADABLE


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
