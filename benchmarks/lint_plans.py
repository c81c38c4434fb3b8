"""A project of many plans as people write them: fifty lines each, and nothing wrong with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

POLICY = """\
kind: policy
name: shared
input_budget: {max_tokens: 8000}
pack_budget: {default_ratio: 0.5}
overflow: compact
expansion: {max_pages: 3, min_fill_ratio: 0.9}
"""
RETRIEVER = """\
kind: retriever
name: handbook
config: {query: "{input.question}", limit: 5}
"""
# One document, so that a checker that knows nothing else reads all of it.
PLAN = """\
# Answers a customer's question about the product line NUMBER.
kind: context
name: support_NUMBER
description: Answers a customer's question about product line NUMBER, with the talk so far.
policy: shared

# What a caller has to hand in.
inputs:
  question:
    type: string
    description: What the customer wants to know.
    example: Where is my order?
  product:
    type: string
    description: What the customer has bought.
    default: our online shop
  order:
    type: object
    required: false
    example: {id: A-1042, status: in transit}

messages:
  # Who the model is. {input.product} is filled in.
  - type: system
    content: |-
      You are a support agent for {input.product}, line NUMBER.
      - Answer first, explain after, and use short sentences.
      - Say so when you do not know, and say who does.

  # One worked example shows the tone better than a page of rules.
  - type: user
    content: "Question: The parcel NUMBER says delivered, but it is not here."
  - type: assistant
    content: >-
      I am sorry about that. Please look with your neighbours and at the door first.

  # What the handbook says, as data.
  - type: context
    name: handbook
    ordering: edges
    format: {fence: true}

  # The conversation so far, and the question.
  - {type: history, keep_last: 2}
  - type: user
    template: |-
      {% if input.order %}
      Order {{ input.order.id }} is {{ input.order.status }}.
      {% endif %}
      Question to line NUMBER: {{ input.question }}
"""


def write_plans(folder: Path, count: int) -> list[Path]:
    """As many plans as asked for, and the two declarations they share."""
    texts = [POLICY, RETRIEVER, *(PLAN.replace("NUMBER", str(number)) for number in range(count))]
    files = [folder / f"plan_{number:05}.yaml" for number in range(len(texts))]
    for file, text in zip(files, texts, strict=True):
        file.write_text(text, encoding="utf-8")
    return files
