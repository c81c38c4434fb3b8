"""The peers, each measured by the module of its name in an environment of its own."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class Counter(Enum):
    """What a library counts with."""

    TIKTOKEN = "tiktoken"
    OURS = "our tokenizer"
    WORDS = "words"


@dataclass(frozen=True, slots=True)
class Peer:
    """A published library, and what it counts with in each way it can do the work."""

    module: str
    title: str
    variants: Mapping[str, Counter]


BOTH = {"tiktoken": Counter.TIKTOKEN, "splintr": Counter.OURS}

PEERS = (
    Peer("biblicus", "biblicus", {"words": Counter.WORDS}),
    Peer("langchain_core", "langchain-core trim_messages", BOTH),
    Peer("prompt_poet", "prompt-poet", BOTH),
    Peer("cendor_contextkit", "cendor-contextkit", BOTH),
    Peer("llama_index", "llama-index", {"ChatMemoryBuffer": Counter.OURS, "Memory": Counter.OURS}),
)
