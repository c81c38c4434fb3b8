"""What a model's answer is based on: the blocks it names, and those whose words it repeats."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from biblicus_context.assembly.result.citations import Citation
from biblicus_context.assembly.result.result import ContextAssemblyResult
from biblicus_context.assembly.result.spans import PieceSpan
from biblicus_context.base.doors import door
from biblicus_context.retrieval.packs.block_format import one_line
from biblicus_context.text.cutting.sentences import sentences

_HEX = r"[0-9a-f]{8}"
_BETWEEN = r"(?:[^\w\[\]［］【】]|\band\b)"
_ID = re.compile(rf"(?<![0-9a-z]){_HEX}(?![0-9a-z])", re.IGNORECASE)
_NAMED = re.compile(
    rf"[\[［【]{_BETWEEN}*{_HEX}(?:{_BETWEEN}+{_HEX})*{_BETWEEN}*[\]］】]", re.IGNORECASE
)
"""Nothing but ids in brackets: only here an unknown id can be told from a number."""
_BRACKETS = re.compile(r"\[[^\[\]]*\]|［[^［］]*］|【[^【】]*】|\([^()]*\)")
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_WORD = re.compile(r"\w+")
_REPEATED_WORDS = 8
"""This many equal words in a row are hardly an accident."""


class Attribution(NamedTuple):
    """A sentence, and the block it comes from; None where an author or a model wrote it."""

    sentence: str
    citation: Citation | None


@dataclass(frozen=True, slots=True)
class CitedAnswer:
    """An answer and the blocks it is based on."""

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
        lines = (f"- [{each}] {said}" for each, said in _described(self.used).items())
        return "\n".join([f"## {heading}", "", *lines])

    def numbered(self, heading: str = "Sources") -> str:
        """The answer with numbers for readers in place of ids, and its sources after it."""
        described = _described(self.used)
        numbers = {each: str(number) for number, each in enumerate(described, 1)}
        inside = _BRACKETS.sub(lambda match: _replaced(match[0], numbers), self.answer)
        text = _replaced(inside, {each: f"[{number}]" for each, number in numbers.items()})
        if not described:
            return text
        lines = (f"{numbers[each]}. {said}" for each, said in described.items())
        return "\n".join([text.rstrip(), "", f"## {heading}", "", *lines])


@door
def cite(answer: str, result: ContextAssemblyResult) -> CitedAnswer:
    """What of a result's evidence an answer names, repeats, or claims without having seen it.

    An id of the evidence is found in any form. An unknown id counts only in brackets, and not in
    code: elsewhere it may be any number.
    """
    by_id: dict[str, list[Citation]] = {}
    for citation in result.citations:
        by_id.setdefault(citation.id, []).append(citation)
    named = [each for each in _ids(answer) if each in by_id]
    used = [citation for each in named for citation in by_id[each]]
    alone = " ".join(_NAMED.findall(_CODE.sub(" ", answer)))
    rest = [citation for citation in result.citations if citation.id not in named]
    return CitedAnswer(
        answer=answer,
        used=tuple(used),
        repeated=tuple(_repeated(answer, rest)),
        unknown=tuple(each for each in _ids(alone) if each not in by_id),
    )


@door
def attribute(text: str, result: ContextAssemblyResult) -> list[Attribution]:
    """Each sentence of a text with the block it comes from.

    Of a message of the result it is known where each block is. In any other text a sentence belongs
    to the block that has its words in a row.
    """
    excerpts = [(_words(citation.excerpt), citation) for citation in result.citations]
    return [
        Attribution(sentence, owner or _quoted(sentence, excerpts))
        for part, owner in _parts(text, result)
        for sentence in sentences(part)
        if sentence.strip()
    ]


def _parts(text: str, result: ContextAssemblyResult) -> Iterator[tuple[str, Citation | None]]:
    """A text in parts, cut where blocks are placed: no sentence reaches from one into the next."""
    contents = (message.get("content") for message in result.messages)
    number = next((at for at, content in enumerate(contents) if content == text), None)
    end = 0
    for message, block, citation in _placed(result):
        if message == number:
            yield text[end : block.body_start], None
            end = block.body_end
            yield text[block.body_start : end], citation
    yield text[end:], None


def _placed(result: ContextAssemblyResult) -> Iterator[tuple[int, PieceSpan, Citation]]:
    """Each citation with the message and the span of its block; both are in the order of the text."""
    pieces = (
        (span.message, piece) for span in result.spans for piece in span.pieces if piece.is_block
    )
    for (message, piece), citation in zip(pieces, result.citations, strict=True):
        yield message, piece, citation


def _quoted(sentence: str, excerpts: Sequence[tuple[str, Citation]]) -> Citation | None:
    """The block that has these words in a row; of several, the one whose id follows them."""
    words = _words(_NAMED.sub(" ", sentence))
    owners = [citation for excerpt, citation in excerpts if words.strip() and words in excerpt]
    named = _ids(sentence)
    return next((each for each in owners if each.id in named), next(iter(owners), None))


def _ids(text: str) -> list[str]:
    """The ids in a text, each once."""
    return list(dict.fromkeys(found.lower() for found in _ID.findall(text)))


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


def _described(citations: Iterable[Citation]) -> dict[str, str]:
    """Where each id leads; a block may be in several packs, and two blocks may share an id."""
    places: dict[str, list[str]] = {}
    for each in citations:
        said = f"{each.title}, {each.place}" if each.title else each.place
        places.setdefault(each.id, []).append(one_line(said))
    return {name: "; ".join(dict.fromkeys(several)) for name, several in places.items()}


def _replaced(text: str, by: Mapping[str, str]) -> str:
    """The text with other words for the ids that are known."""
    return _ID.sub(lambda match: by.get(match[0].lower(), match[0]), text)
