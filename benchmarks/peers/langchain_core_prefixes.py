"""langchain-core: `trim_messages` on a growing conversation, at the limit that is handed in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from langchain_core.messages import BaseMessage, convert_to_messages, trim_messages

from benchmarks.peers.langchain_core import Counter, by_splintr
from benchmarks.prefix_child import main

if TYPE_CHECKING:
    from benchmarks.messages import Message
    from benchmarks.talk import Trim


def trimming(limit: float) -> Trim:
    theirs: list[BaseMessage] = []
    count = Counter(by_splintr)

    def trim(said: list[Message]) -> list[Message]:
        theirs.extend(convert_to_messages([each.as_dict() for each in said[len(theirs) :]]))
        kept = trim_messages(
            theirs,
            max_tokens=int(limit),
            token_counter=count,
            strategy="last",
            start_on="human",
            include_system=True,
        )
        numbers = {id(message): at for at, message in enumerate(theirs)}
        return [said[numbers[id(message)]] for message in kept]

    return trim


if __name__ == "__main__":
    main(trimming)
