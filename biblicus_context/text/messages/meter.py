"""The tokens of finished messages, in the shapes of OpenAI, Anthropic, Gemini and LangChain."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from biblicus_context.base.nesting import refuse_too_deep
from biblicus_context.errors import InputError
from biblicus_context.text.counters.joined import count_joined
from biblicus_context.text.messages.conversation import Conversation
from biblicus_context.text.messages.files import guessed_kinds
from biblicus_context.text.messages.framing import Framing
from biblicus_context.text.messages.images import ImageRule
from biblicus_context.text.messages.pieces import Piece, Rules, compact, message_pieces
from biblicus_context.text.messages.plain import plain_contents

if TYPE_CHECKING:
    from biblicus_context.text.counters import Counter


class MessageMeter:
    """Measures messages with a counter, a framing, and a rule for images.

    >>> from biblicus_context.text.counters import Counters
    >>> meter = MessageMeter(Counters().get("whitespace"), Framing(per_message=4))
    >>> meter.measure({"role": "user", "content": "two words"})
    6
    """

    def __init__(
        self,
        counter: Counter,
        framing: Framing | None = None,
        images: ImageRule | None = None,
        conversation: Conversation | None = None,
    ) -> None:
        self._counter = counter
        self._framing = framing or Framing()
        self._images = images
        self._conversation = conversation or Conversation()

    def measure(self, message: Mapping[str, Any], place: str = "message") -> int:
        """The tokens of one message with its framing."""
        return self._sums([self._pieces(message, place)])[0]

    def measure_many(
        self, messages: Sequence[Mapping[str, Any]], place: str = "messages"
    ) -> list[int]:
        """The tokens of each message with its framing."""
        plain = self._plain(messages)
        if plain is not None:
            return plain
        return self._sums(
            [self._pieces(each, f"{place}[{at}]") for at, each in enumerate(messages)]
        )

    def count(self, text: str) -> int:
        """The tokens of a text without framing."""
        return self._counter.count(text) if text else 0

    def measure_plain(self, messages: Sequence[Mapping[str, Any]]) -> Sequence[int] | None:
        """The tokens of plain messages, or None if one is not plain."""
        if not {dict}.issuperset(map(type, messages)):
            return None
        plain = cast("Sequence[dict[str, Any]]", messages)
        measured_by = (self._counter, self._framing.per_message)
        return self._conversation.tokens(plain, self._plain, measured_by)

    def total(self, contents: Sequence[Sequence[str]]) -> int:
        """The tokens of messages, given as texts in parts, and of what opens the answer."""
        tokens = sum(count_joined(self._counter, contents))
        return tokens + self._framing.per_message * len(contents) + self._framing.per_reply

    def measure_tools(self, tools: Sequence[Mapping[str, Any]], place: str = "tools") -> int:
        """The tokens of tool definitions, written as compact JSON."""
        return self.all_tools(self.measure_each_tool(tools, place))

    def all_tools(self, sizes: Sequence[int]) -> int:
        """The tokens of definitions that were measured, with what a model adds once for all of them."""
        return sum(sizes) + (self._framing.per_tools if sizes else 0)

    def measure_each_tool(
        self, tools: Sequence[Mapping[str, Any]], place: str = "tools"
    ) -> Sequence[int]:
        """The tokens of each definition."""
        texts = [_definition(tool, f"{place}[{at}]") for at, tool in enumerate(tools)]
        return self._counter.count_many(texts)

    def _plain(self, messages: Sequence[Mapping[str, Any]]) -> list[int] | None:
        contents = plain_contents(messages)
        if contents is None:
            return None
        counts = self._counter.count_many(contents)
        per_message = self._framing.per_message
        return [tokens + per_message for tokens in counts] if per_message else counts

    def estimates(self, messages: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
        """What is only estimated in these messages: kinds of files, encrypted reasoning."""
        rows = (self._pieces(message, "message") for message in messages)
        return tuple(sorted({kind for row in rows for kind in guessed_kinds(row)}))

    def _pieces(self, message: Mapping[str, Any], place: str) -> list[Piece]:
        refuse_too_deep(message, place)
        return list(message_pieces(message, Rules(self._framing, self._images), place))

    def _sums(self, rows: Sequence[Sequence[Piece]]) -> list[int]:
        """The tokens of each row; the texts of all rows are counted in one batch."""
        counts = iter(
            self._counter.count_many(
                [piece for row in rows for piece in row if isinstance(piece, str)]
            )
        )
        return [
            sum(next(counts) if isinstance(piece, str) else piece for piece in row) for row in rows
        ]


def _definition(tool: Mapping[str, Any], place: str) -> str:
    if not isinstance(tool, Mapping):
        raise InputError("this must be a mapping", place=place, found=tool)
    refuse_too_deep(tool, place)
    return compact(tool, place)
