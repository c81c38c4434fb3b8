"""Where the prompt cache of a provider ends: after at most four parts that stay the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias

from biblicus_context.errors import FormatError, InputError

MOST_MARKS: Final = 4
_KEY: Final = "cache_control"
_KEYS: Final = frozenset({_KEY, "prompt_cache_breakpoint"})
_CACHES: Final = ("auto", "off", "a list of marks")
_MARKS: Final = ("tools", "MarkAfter(message)", "MarkAfter(message, characters)")
_UNMARKABLE: Final = frozenset({"thinking", "redacted_thinking"})


@dataclass(frozen=True, slots=True)
class MarkAfter:
    """The end of a message, or of its first characters."""

    message: int
    characters: int | None = None


Mark: TypeAlias = MarkAfter | Literal["tools"]
CacheMarks: TypeAlias = Literal["auto", "off"] | Sequence[Mark]
CacheLifetime: TypeAlias = Literal["5m", "1h"]
Place: TypeAlias = Literal["tools", "system prompt", "user", "assistant", "system"]


@dataclass(frozen=True, slots=True)
class MarkableBlock:
    """A content block or a tool's definition that a cached part may end with."""

    place: Place
    number: int
    """The index of the message it comes from."""
    body: dict[str, Any]
    late: bool = False
    """Whether it is system text after the first user message."""
    start: int = 0
    """The characters of the message's text in the blocks before it."""

    @property
    def is_result(self) -> bool:
        """Whether it is the result of a tool."""
        return self.body.get("type") == "tool_result"

    @property
    def is_marked(self) -> bool:
        """Whether it already has a mark."""
        return not _KEYS.isdisjoint(self.body)

    @property
    def end(self) -> int | None:
        """The characters in it and before it; None if it is not a text."""
        return self.start + len(self.body["text"]) if self.body.get("type") == "text" else None

    def ends(self, mark: Mark) -> bool:
        """Whether a cached part may end here."""
        if self.body.get("type") in _UNMARKABLE:
            return False
        if isinstance(mark, MarkAfter):
            is_named = self.place != "tools" and self.number == mark.message
            return is_named and mark.characters in {None, self.end}
        return self.place == "tools"


def given_marks(cache: object) -> Sequence[Mark]:
    """The marks that a caller passed; none where these are `off`."""
    if cache == "off":
        return ()
    if isinstance(cache, str) or not isinstance(cache, Sequence):
        raise InputError("unknown way", place="cache", found=cache, valid=_CACHES)
    for mark in cache:
        if not isinstance(mark, MarkAfter) and mark != "tools":
            raise InputError("unknown mark", place="cache", found=mark, valid=_MARKS)
    return cache


def marked(
    blocks: Sequence[MarkableBlock], marks: Sequence[Mark], ttl: CacheLifetime | None = None
) -> list[MarkableBlock]:
    """The blocks with a cache mark at the end of each of these parts."""
    for mark in marks:
        if isinstance(mark, MarkAfter) and mark.characters is not None:
            blocks = _cut(blocks, mark.message, mark.characters)
    ends = {_end(blocks, mark) for mark in marks}
    control = {"type": "ephemeral"} | ({"ttl": ttl} if ttl else {})
    finished = [
        replace(block, body={**block.body, _KEY: dict(control)}) if at in ends else block
        for at, block in enumerate(blocks)
    ]
    count = sum(block.is_marked for block in finished)
    if count > MOST_MARKS:
        raise FormatError(
            f"Anthropic takes {MOST_MARKS} cache marks",
            place="cache",
            found=count,
            fix="Marks in the messages count too; cache='auto' adds only as many as are left.",
        )
    return finished


def _end(blocks: Sequence[MarkableBlock], mark: Mark) -> int:
    for at in reversed(range(len(blocks))):
        if blocks[at].ends(mark):
            return at
    raise InputError("nothing here can end a cached part", place="cache", found=mark)


def _cut(blocks: Sequence[MarkableBlock], number: int, characters: int) -> list[MarkableBlock]:
    """The blocks with a message's text cut in two, at a mark inside it."""
    cut: list[MarkableBlock] = []
    for block in blocks:
        end = block.end if block.number == number else None
        if end is None or not block.start < characters < end:
            cut.append(block)
            continue
        words = block.body["text"]
        at = characters - block.start
        if block.body.keys() - {"type", "text"} or not words[:at].strip() or not words[at:].strip():
            raise InputError(
                "this text cannot be cut there", place="cache", found=MarkAfter(number, characters)
            )
        cut.append(replace(block, body={"type": "text", "text": words[:at]}))
        cut.append(
            replace(block, body={"type": "text", "text": words[at:]}, start=block.start + at)
        )
    return cut
