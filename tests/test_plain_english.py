"""What people read is plain English: no phrase from the list of words that readers stumble over."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PHRASES = {
    r"\ban user\b": "a user",
    r"\b1 tokens\b": "1 token",
    r"\bwith the eyes of\b": "as this user",
    r"\bin silence\b": "silently",
    r"\bcannot be meant\b": "contradictory or impossible",
    r"\bfrom what was said\b": "name the thing",
    r"\bwhich files\?": "say what is known, and what to pass",
    r"\bsay which\b": "pass",
    r"\bwhat may stand\b": "the type",
    r"\bbehind\b": "after",
    r"\bbeside\b": "next to",
    r"\bhanded (in|on|back)\b": "passed, returned",
    r"\bstands? in\b": "is in, contains",
    r"\bpassed over\b": "skipped",
    r"\bby whom\b": "name the principal",
    r"\blet go of\b": "close",
    r"\banew\b": "again",
    r"\btwins?\b": "duplicates",
    r"(?-i:^Return (the|an?|whether|what|each)\b)": "what is returned: 'The tokens of a text.'",
}
"""Each phrase and what to write instead. Add one when the last text with it is gone."""


def strings(file: Path) -> Iterator[tuple[int, str]]:
    """The string constants of a Python file, docstrings and the parts of f-strings included."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def lines(file: Path) -> Iterator[tuple[int, str]]:
    yield from enumerate(file.read_text(encoding="utf-8").splitlines(), 1)


def texts() -> Iterator[tuple[str, str]]:
    """Every text that people read, with its place."""
    code = [*(ROOT / "biblicus_context").rglob("*.py"), *(ROOT / "docs").rglob("*.py")]
    written = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "schemas").glob("*.json")]
    written += [*(ROOT / "biblicus_context" / "cli" / "help").glob("*.txt"), ROOT / "README.md"]
    for file, read in [*((each, strings) for each in code), *((each, lines) for each in written)]:
        for line, text in read(file):
            yield f"{file.relative_to(ROOT)}:{line}", " ".join(text.split())


@pytest.fixture(scope="module")
def every_text() -> list[tuple[str, str]]:
    return list(texts())


@pytest.mark.parametrize("phrase", PHRASES)
def test_no_text_has_a_phrase_that_readers_stumble_over(phrase, every_text):
    pattern = re.compile(phrase, re.IGNORECASE)
    found = [f"{place}: {text[:100]}" for place, text in every_text if pattern.search(text)]
    assert found == [], f"write instead: {PHRASES[phrase]}"


def test_every_phrase_is_found_where_it_is():
    examples = ["an user", "1 tokens", "with the eyes of", "in silence", "cannot be meant"]
    assert all(any(re.search(each, text) for each in PHRASES) for text in examples)
