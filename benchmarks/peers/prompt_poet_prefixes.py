"""prompt-poet: cache-aware truncation of a growing conversation, in steps of what is handed in."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from prompt_poet import Prompt

from benchmarks.counting import tokenizer
from benchmarks.prefix_child import main
from benchmarks.talk import BUDGET

if TYPE_CHECKING:
    from benchmarks.messages import Message
    from benchmarks.talk import Trim

TEMPLATE = """
{% for text in texts %}
- name: turn
  role: user
  truncation_priority: {{ 0 if loop.first or loop.last else 1 }}
  content: {{ text | tojson }}
{% endfor %}
"""
"""Its parts know no tool calls, so each message is a part of the same text; roles cost nothing."""


def trimming(step: float) -> Trim:
    known: dict[str, list[int]] = {}

    def encode(text: str) -> list[int]:
        if text not in known:
            known[text] = tokenizer().encode_ordinary(text)
        return known[text]

    def trim(said: list[Message]) -> list[Message]:
        prompt = Prompt(
            template_data={"texts": [_text(message) for message in said]},
            raw_template=TEMPLATE,
            encode_func=encode,
            token_limit=BUDGET,
            truncation_step=int(step),
        )
        prompt.tokenize()
        prompt.truncate()
        left = len(prompt.parts) - 1  # the oldest go first, and the first part never
        return [said[0], *said[-left:]]

    return trim


def _text(message: Message) -> str:
    calls = "".join(f"{call.name}{call.arguments}" for call in message.calls)
    return f"{message.content or ''}{calls}"


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    main(trimming)
