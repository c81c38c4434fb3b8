"""Message framing: the tokens that a model's message format adds to contents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Final

from biblicus_context.errors import UnknownNameError


@dataclass(frozen=True, slots=True)
class Framing:
    """Tokens that a model's message format adds to contents."""

    # A plain dict: pydantic writes no JSON Schema under a read-only one.
    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    per_message: int = 0
    per_name: int = 0
    per_reply: int = 0
    """Once per call: what opens the answer, and what the format puts before the first message."""
    per_tool_call: int = 0
    """For a tool call together with its result."""
    per_tools: int = 0
    """Once per call that defines tools: the instructions for using them."""
    estimated: tuple[str, ...] = ()
    """The figures that are high guesses, because nobody publishes them."""
    json_results: bool = False
    """Whether a result of a tool may be sent inside JSON, with the name of the tool once more."""


_TOOLS: Final = ("per_tool_call", "per_tools")
_ALL: Final = ("per_message", "per_name", "per_reply", *_TOOLS)

# Counted in the published chat templates; each figure is the largest of any role. `openai` is
# the tiktoken cookbook's. Anthropic publishes what tools add for each model (the larger figure of
# its two, as it depends on tool_choice): models.json has it; here is the largest of all.
FRAMINGS: Final[Mapping[str, Framing]] = MappingProxyType(
    {
        "none": Framing(),
        "openai": Framing(4, 1, 3, 12, 16, _TOOLS),
        "harmony": Framing(7, 1, 77, 16, 16),
        "anthropic": Framing(5, 1, 5, 40, 804, _ALL),
        "gemini": Framing(5, 1, 4, 16, 32, _ALL, json_results=True),
        "gemma": Framing(5, 1, 5, 16, 32),
        "chatml": Framing(5, 1, 7, 18, 90),
        "qwen": Framing(5, 1, 28, 18, 90),
        "llama2": Framing(13, 1, 1, 16, 64),
        "llama3": Framing(6, 1, 5, 10, 56),
        "llama3.1": Framing(6, 1, 35, 10, 56),
        "llama4": Framing(6, 1, 35, 10, 56),
        "mistral_v1": Framing(8, 1, 1, 40, 16),
        "mistral": Framing(3, 1, 1, 40, 16),
        "deepseek": Framing(2, 1, 4, 18, 130),
        "phi4": Framing(4, 1, 3, 16, 32),
        "glm4": Framing(6, 1, 6, 24, 130),
        "kimi": Framing(4, 1, 21, 20, 8),
        "olmo2": Framing(8, 1, 6, 16, 32),
    }
)

UNSTATED_FRAMING: Final = Framing(json_results=True)
"""Where neither a model nor a framing is named, the messages may be for any provider.

Of what providers add, only Gemini's JSON around results is content of the messages.
"""


def framing_named(name: str) -> Framing:
    """The framing of this name."""
    if name not in FRAMINGS:
        raise UnknownNameError("Framing", name, FRAMINGS)
    return FRAMINGS[name]
