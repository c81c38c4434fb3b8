"""What a model says that uses its tool first, and then quotes the evidence by its id."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_FENCED = re.compile(r"<(evidence-\w+)>\n\[(?P<id>\w+)\] (?P<text>.*?)\n</\1>", re.DOTALL)
_ORDER = re.compile(r"\b[A-Z]-\d+\b")
_SENTENCE = re.compile(r"[A-Z][^.\n]*\.")
_LONG_WORD = re.compile(r"\w{4,}")


class Call(NamedTuple):
    """A tool that the model asks for."""

    name: str
    arguments: dict[str, str]


class Seen(NamedTuple):
    """What the model is shown, whatever the provider's form."""

    texts: tuple[str, ...]
    """All that stands in the request, in order."""
    question: str
    """What the user wrote last."""
    results: tuple[str, ...]
    """What tools said since then."""
    tool: str | None
    """The one it may ask for."""


def reply(seen: Seen) -> list[Call] | str:
    """A call for each order it has to know of, else an answer."""
    orders = _ORDER.findall(seen.question)
    if orders and seen.tool and (not seen.results or "again and again" in seen.question):
        name = "number" if "mistaken" in seen.question else "order"
        return [Call(seen.tool, {name: order}) for order in orders]
    said = [f"{result[:1].upper()}{result[1:]}." for result in seen.results]
    return " ".join([*said, *_quoted(seen)]) or "I do not know."


def without_evidence(text: str) -> str:
    """What is left of a text when the evidence is taken out."""
    return _FENCED.sub("", text).strip()


def _quoted(seen: Seen) -> Iterator[str]:
    """The sentence of the evidence that has most words of the question, and where it stands."""
    asked = _words(seen.question)
    sentences = [
        (len(asked & _words(sentence)), sentence, block["id"])
        for block in _FENCED.finditer("\n".join(seen.texts))
        for sentence in _SENTENCE.findall(block["text"])
    ]
    shared, sentence, identity = max(sentences, default=(0, "", ""), key=lambda found: found[0])
    if shared:
        yield f"{sentence} [{identity}]"


def _words(text: str) -> set[str]:
    return set(_LONG_WORD.findall(text.lower()))


def last(texts: Iterable[str]) -> str:
    """The last text that is not empty."""
    return next((text for text in reversed([*texts]) if text), "")
