"""The arguments of one assembly, typed where they come in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, TypeAlias

from biblicus_context.retrieval.foreign.known import (
    HaystackRetriever,
    LangChainRetriever,
    LlamaIndexRetriever,
)

RetrieverFunction: TypeAlias = Callable[[Any], Any]
"""Takes a `ContextRetrieverRequest`; returns evidence or None; may be async."""

Retriever: TypeAlias = (
    RetrieverFunction | LangChainRetriever | LlamaIndexRetriever | HaystackRetriever
)
"""A function, or a retriever of LangChain, LlamaIndex or Haystack."""

Message: TypeAlias = Mapping[str, Any]
"""One message in the format of OpenAI's chat completions: `role`, `content`, and what goes with them."""


class SpokenMessage(Protocol):
    """A message as an SDK returns it, such as OpenAI's `ChatCompletionMessage`."""

    @property
    def role(self) -> Any:
        """Who speaks."""


class LangChainMessage(Protocol):
    """A message of LangChain."""

    content: Any
    type: str


class PydanticAIMessage(Protocol):
    """A message of pydantic-ai."""

    @property
    def parts(self) -> Sequence[Any]:
        """What it consists of."""

    @property
    def kind(self) -> Any:
        """Whether it is a request or a response."""


ClientMessage: TypeAlias = SpokenMessage | LangChainMessage | PydanticAIMessage
"""A message of a client library, as it is."""


class PreviousCall(NamedTuple):
    """What an earlier call sent."""

    messages: Sequence[Message]
    tokens: int
    first: int | None
    """The number of the first message of its history that was kept."""

    def start_in(self, history: Sequence[Message]) -> int | None:
        """Where this history begins as that one did; None where it is another conversation."""
        return self.first if self.place_in(history) is not None else None

    def place_in(self, history: Sequence[Message]) -> int | None:
        """Where the beginning of this history is among the messages that were sent."""
        first = self.first
        if first is None or first >= len(history) or not isinstance(history[first], Mapping):
            return None
        message = dict(history[first])
        return next((at for at, sent in enumerate(self.messages) if sent == message), None)


class Call(NamedTuple):
    """One call of `assemble`."""

    names: Mapping[str, Any]
    now: datetime
    """The moment that recency and relative times are measured from."""
    history: Sequence[Message] = ()
    user_message: str = ""
    base_system_prompt: str = ""
    retriever: RetrieverFunction | None = None
    retrievers: Mapping[str, RetrieverFunction] = MappingProxyType({})
    """Those of this call by name, in place of the ones that were passed or declared."""
    previous: PreviousCall | None = None
    assembly: str = ""
    """The same in all requests of this assembly, and in no other's."""
    fenced: bool = False
    """Whether a pack of it, or of a context that it nests, is written between tags."""

    @property
    def question(self) -> str:
        """The query of a retriever that has no query template."""
        given = self.names.get("input")
        known = given if isinstance(given, Mapping) else {}
        for name in ("query", "message"):
            if known.get(name):
                return str(known[name])
        return self.user_message
