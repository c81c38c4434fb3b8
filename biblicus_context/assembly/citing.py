"""What a model's answer rests on: the blocks it names, and those whose words it repeats."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from biblicus_context.assembly.citations import Citation
from biblicus_context.assembly.result import ContextAssemblyResult
from biblicus_context.text.sentences import sentences

_ID = r"[0-9a-f]{8}"
_NAMED = re.compile(rf"[\[【]({_ID}(?:[\s,;]+{_ID})*)[\]】]", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_REPEATED_WORDS = 8
"""So many words in a row are hardly the same by accident."""


class Attribution(NamedTuple):
    """A sentence, and the block it stands in; None where an author or a model wrote it."""

    sentence: str
    citation: Citation | None


@dataclass(frozen=True, slots=True)
class CitedAnswer:
    """An answer and what it rests on."""

    answer: str
    used: tuple[Citation, ...]
    """The blocks it names, in the order it names them."""
    repeated: tuple[Citation, ...]
    """Blocks that it does not name, though it repeats their words."""
    unknown: tuple[str, ...]
    """Ids it names that are not in the context: made up, or from another turn."""

    def sources(self, heading: str = "Sources") -> str:
        """The named blocks as a section of Markdown; empty where none is named."""
        if not self.used:
            return ""
        lines = (f"- [{each.id}] {_described(each)}" for each in _each_once(self.used))
        return "\n".join([f"## {heading}", "", *lines])

    def numbered(self, heading: str = "Sources") -> str:
        """The answer with numbers for readers in place of ids, and its sources behind it."""
        named = _each_once(self.used)
        numbers = {each.id: number for number, each in enumerate(named, 1)}
        text = _NAMED.sub(lambda match: _numbers(match[1], numbers) or match[0], self.answer)
        if not named:
            return text
        lines = (f"{number}. {_described(each)}" for number, each in enumerate(named, 1))
        return "\n".join([text.rstrip(), "", f"## {heading}", "", *lines])


def cite(answer: str, result: ContextAssemblyResult) -> CitedAnswer:
    """What of a result's evidence an answer names, repeats, or claims without having seen it."""
    by_id: dict[str, list[Citation]] = {}
    for citation in result.citations:
        by_id.setdefault(citation.id, []).append(citation)
    named = list(dict.fromkeys(_ids(answer)))
    used = [citation for each in named for citation in by_id.get(each, ())]
    rest = [citation for citation in result.citations if citation.id not in named]
    return CitedAnswer(
        answer=answer,
        used=tuple(used),
        repeated=tuple(_repeated(answer, rest)),
        unknown=tuple(each for each in named if each not in by_id),
    )


def attribute(text: str, result: ContextAssemblyResult) -> list[Attribution]:
    """Each sentence of a text, such as the system prompt, with the block it stands in.

    It finds sentences also where blocks were put into another order or shortened.
    """
    excerpts = [(_words(citation.excerpt), citation) for citation in result.citations]
    return [
        Attribution(sentence, _owner(_words(sentence), excerpts))
        for sentence in sentences(text)
        if sentence.strip()
    ]


def _owner(words: str, excerpts: Iterable[tuple[str, Citation]]) -> Citation | None:
    return next(
        (citation for excerpt, citation in excerpts if words.strip() and words in excerpt), None
    )


def _ids(answer: str) -> Iterator[str]:
    for match in _NAMED.finditer(answer):
        yield from re.findall(_ID, match[1].lower())


def _repeated(answer: str, citations: Sequence[Citation]) -> Iterator[Citation]:
    said = set(_runs(answer))
    for citation in citations:
        if not said.isdisjoint(_runs(citation.excerpt)):
            yield citation


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    words = _WORD.findall(text.lower())
    for start in range(len(words) - _REPEATED_WORDS + 1):
        yield tuple(words[start : start + _REPEATED_WORDS])


def _words(text: str) -> str:
    """The words alone, with a space around each, so that a stretch of them can be looked up."""
    return f" {' '.join(_WORD.findall(text.lower()))} "


def _each_once(citations: Iterable[Citation]) -> list[Citation]:
    """One of each id: a block may stand in several packs."""
    return [*{citation.id: citation for citation in reversed([*citations])}.values()][::-1]


def _described(citation: Citation) -> str:
    return f"{citation.title}, {citation.place}" if citation.title else citation.place


def _numbers(ids: str, numbers: Mapping[str, int]) -> str:
    known = [numbers[each] for each in re.findall(_ID, ids.lower()) if each in numbers]
    return f"[{', '.join(map(str, known))}]" if known else ""
