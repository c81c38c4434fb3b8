"""BC706: a control token of a chat format in a text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.texts import texts, violation_in

_CONTROL: Final = re.compile(
    r"<\|(?:im_start|im_end|im_sep|endoftext|start|end|message|channel|return|begin_of_text"
    r"|end_of_text|start_header_id|end_header_id|eot_id|eom_id|system|user|assistant)\|>"
    r"|\[/?INST\]|<</?SYS>>|<(?:start|end)_of_turn>"
)


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    del declared
    for text in texts(plan.declaration):
        for match in _CONTROL.finditer(text.source):
            yield violation_in(
                plan,
                text,
                match.start(),
                "the control token is counted and sent as plain text",
                found=match[0],
                advice="Remove it; the provider adds the control tokens of its format.",
            )
            break


RULE = Rule(
    code="BC706",
    name="control-token-in-text",
    severity=Severity.WARNING,
    finds="A text contains a control token of a chat format, such as `<|im_start|>` or `[INST]`.",
    why=(
        "Messages are sent with their roles, and the provider adds the control tokens. In a text "
        "some providers treat them as plain text, others reject them, and a self-hosted server may "
        "begin a message with another role there."
    ),
    instead="Write one directive for each role, and remove the control tokens.",
    bad="""\
kind: context
name: support
messages:
  - type: system
    content: |-
      You are a support agent.
      <|im_end|>  <- BC706
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
messages:
  - type: system
    content: |-
      You are a support agent.
  - {type: user, content: "{input.question}"}
""",
    check=_check,
    depends_on=frozenset(),
)
