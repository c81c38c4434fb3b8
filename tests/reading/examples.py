"""The example plans, and what each bad one says of itself."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

PLANS = Path(__file__).parent.parent / "plans"
GOOD = sorted(PLANS.glob("good/*.yaml"))
BAD = sorted(PLANS.glob("bad/*.yaml"))

_EXPECTATION = re.compile(rb"^# expect: (\d+):(\d+): (.+?)\r?$", re.MULTILINE)


class Expectation(NamedTuple):
    """A place in a file and a part of what is said about it."""

    line: int
    column: int
    text: str


def expectations(file: Path) -> list[Expectation]:
    """What a bad example expects, in its own comments."""
    return [
        Expectation(int(line), int(column), text.decode())
        for line, column, text in _EXPECTATION.findall(file.read_bytes())
    ]


def is_beyond_the_schema(file: Path) -> bool:
    """Whether a bad example says that a schema cannot express its mistake."""
    return b"# beyond the schema: " in file.read_bytes()
