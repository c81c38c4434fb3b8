"""PDF: one section for each page. Pages are read in a separate process, within limits."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import datetime
from pathlib import Path

from biblicus_context.base.doors import door
from biblicus_context.errors import MissingExtraError
from biblicus_context.ingest.chunks.section import Parsed, Section, UnreadableError
from biblicus_context.ingest.files.content import Content
from biblicus_context.ingest.readers import pdf_pages

_SECONDS = 60
_MEMORY = 1024**3
_LARGEST = 20_000_000
"""Characters of text that one file may hold."""
_TOO_MUCH = "reading it takes too much memory or time"

_PROGRAM = Path(pdf_pages.__file__)


@door
def read_pdf(content: Content) -> Parsed:
    """The text of each page; a file that takes a minute or a gigabyte is refused."""
    _library()
    try:
        done = subprocess.run(  # noqa: S603 - our own program
            [sys.executable, "-P", _PROGRAM, str(_MEMORY), str(_SECONDS), str(_LARGEST)],
            input=content.data,
            capture_output=True,
            timeout=_SECONDS + 5,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise UnreadableError(f"reading it takes more than {_SECONDS} seconds") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", errors="replace").strip().splitlines()
        raise UnreadableError(said[-1] if said else _TOO_MUCH)
    answer = json.loads(done.stdout)
    pages = enumerate(answer["pages"], 1)
    return Parsed(
        "pdf",
        tuple(
            Section(_sound(text), metadata={"page": page}) for page, text in pages if text.strip()
        ),
        title=answer["title"] or "",
        created=_moment(answer["created"]),
        updated=_moment(answer["updated"]),
        metadata={key: answer[key] for key in ("author", "subject") if answer[key]},
        notes=()
        if any(map(str.strip, answer["pages"]))
        else ("it has no text, perhaps only pictures",),
    )


def _sound(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _library() -> None:
    from importlib.util import find_spec

    if find_spec("pypdf") is None:
        raise MissingExtraError("pypdf", "corpus")
