"""langchain-core: `trim_messages`, set up as its documentation does for chat histories."""

from __future__ import annotations

import json
from operator import sub
from typing import TYPE_CHECKING

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    convert_to_messages,
    convert_to_openai_messages,
    trim_messages,
)

from benchmarks.child import main
from benchmarks.counting import tokenizer
from benchmarks.measuring import Library
from benchmarks.messages import Message
from benchmarks.peers.offline_ranks import o200k

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.workloads import Work


class Counter:
    """Counts each message once, in batches: trimming asks again for ever shorter lists."""

    def __init__(self, sizes: Callable[[list[str]], list[int]]) -> None:
        self._sizes = sizes
        self._known: dict[int, int] = {}

    def __call__(self, messages: list[BaseMessage]) -> int:
        try:
            return sum(map(self._known.__getitem__, map(id, messages)))
        except KeyError:
            sizes = self._sizes([_text(message) for message in messages])
            self._known.update(zip(map(id, messages), sizes, strict=True))
            return sum(sizes)


def by_tiktoken(texts: list[str]) -> list[int]:
    encode = o200k().encode_ordinary
    return [len(encode(text)) for text in texts]


def by_splintr(texts: list[str]) -> list[int]:
    _, offsets = tokenizer().encode_batch_flat(texts)
    bounds = memoryview(offsets).cast("Q").tolist()
    return list(map(sub, bounds[1:], bounds))


def library(sizes: Callable[[list[str]], list[int]]) -> Library:
    def ready(work: Work) -> Callable[[], list[BaseMessage]]:
        messages = convert_to_messages(
            [
                {"role": "system", "content": work.instructions()},
                *(message.as_dict() for message in work.history),
                {"role": "user", "content": work.question},
            ]
        )
        return lambda: trim_messages(
            messages,
            max_tokens=work.budget,
            token_counter=Counter(sizes),
            strategy="last",
            start_on="human",
            include_system=True,
        )

    return Library(ready, sent)


def sent(messages: list[BaseMessage]) -> list[Message]:
    return [Message.from_dict(message) for message in convert_to_openai_messages(messages)]


def _text(message: BaseMessage) -> str:
    if isinstance(message, AIMessage) and message.tool_calls:
        calls = [json.dumps([call["name"], call["args"]]) for call in message.tool_calls]
        return "\n".join([str(message.content), *calls])
    return str(message.content)


VARIANTS = {"tiktoken": library(by_tiktoken), "splintr": library(by_splintr)}

if __name__ == "__main__":
    main(VARIANTS)
