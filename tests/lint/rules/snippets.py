"""Short plans for tests of single rules."""

from __future__ import annotations

KB = """
---
kind: retriever
name: kb
corpus: handbook
---
kind: corpus
name: handbook
config: {root: handbook}
"""
NEWS = """
---
kind: retriever
name: news
corpus: handbook
"""
STYLE = """
---
kind: context
name: style
messages:
  - {type: system, content: Answer in short sentences. Say so when you do not know.}
"""
QUESTION = '{type: user, content: "{input.question}"}'
EVIDENCE = "{type: context, name: kb, format: {fence: true}}"


def context(*messages: str, policy: str = "", inputs: str = "", name: str = "main") -> str:
    """A context of these directives, each on one line."""
    head = [f"kind: context\nname: {name}"]
    head += [f"policy: {policy}"] if policy else []
    head += [f"inputs: {inputs}"] if inputs else []
    return "\n".join([*head, "messages:", *(f"  - {message}" for message in messages), ""])
