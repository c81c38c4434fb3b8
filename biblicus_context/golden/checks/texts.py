"""Checks of texts: what they contain, what they do not, in which order, and exact text."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.golden.checks.call_result import CallResult, Mismatch, text_of
from biblicus_context.golden.snapshots.text_difference import clipped, difference, nearest_passage
from biblicus_context.reading.yaml.tree import Step
from biblicus_context.spec.expectation import Expectation, TextChecks, TextExpectation

Path = tuple[Step, ...]


def check_texts(expect: Expectation, seen: CallResult) -> Iterator[Mismatch]:
    """All messages together, the system prompt and the user message."""
    result = seen.result
    yield from text_problems(expect, text_of(result.messages), ())
    for key, wanted, text in (
        ("system_prompt", expect.system_prompt, result.system_prompt),
        ("user_message", expect.user_message, result.user_message),
    ):
        yield from whole_problems(wanted, text, (key,))


def whole_problems(
    wanted: str | TextExpectation | None, text: str, path: Path
) -> Iterator[Mismatch]:
    """Mismatches of a text that may be expected as a whole."""
    exact = wanted.equals if isinstance(wanted, TextExpectation) else wanted
    if exact is not None and exact != text:
        where = path if isinstance(wanted, str) else (*path, "equals")
        yield Mismatch(where, "the text differs", diff=difference(exact, text))
    if isinstance(wanted, TextExpectation):
        yield from text_problems(wanted, text, path)


def text_problems(wanted: TextChecks, text: str, path: Path) -> Iterator[Mismatch]:
    """Mismatches of the phrases that a text contains."""
    for phrase, at in _listed(wanted.contains, (*path, "contains")):
        if phrase not in text:
            yield _lacking(phrase, text, at)
    for phrase, at in _listed(wanted.absent, (*path, "absent")):
        if phrase in text:
            around = _around(text, text.index(phrase), len(phrase))
            yield Mismatch(at, "the text is there", f"no {phrase!r}", repr(around))
    yield from _order_problems(wanted.order or (), text, (*path, "order"))


def _order_problems(order: tuple[str, ...], text: str, path: Path) -> Iterator[Mismatch]:
    start = 0
    for number, phrase in enumerate(order):
        at = text.find(phrase, start)
        if at < 0 and phrase not in text:
            yield _lacking(phrase, text, (*path, number))
        elif at < 0:
            before = f"after {order[number - 1]!r}"
            yield Mismatch((*path, number), "the order differs", f"{phrase!r} {before}")
        else:
            start = at + len(phrase)


def _lacking(phrase: str, text: str, path: Path) -> Mismatch:
    passage = nearest_passage(phrase, text)
    found = None if passage is None else f"closest: {clipped(passage)!r}"
    return Mismatch(path, "the text is not there", clipped(repr(phrase)), found)


def _around(text: str, start: int, length: int, margin: int = 20) -> str:
    return clipped(text[max(0, start - margin) : start + length + margin])


def _listed(phrases: str | tuple[str, ...] | None, path: Path) -> Iterator[tuple[str, Path]]:
    """Each phrase and its path; a single one need not be in a list."""
    if isinstance(phrases, str):
        yield phrases, path
    else:
        yield from ((phrase, (*path, number)) for number, phrase in enumerate(phrases or ()))
