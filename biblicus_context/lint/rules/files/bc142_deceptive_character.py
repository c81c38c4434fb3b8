"""BC142: a character that nobody sees and every model reads."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Remark, Severity
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declared
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.reading.yaml.tree import Place

# Joiners and direction marks are part of writing in many languages, and tags of some flags.
_FLAG = "\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f"
_DECEPTIVE = re.compile(
    f"{_FLAG}|(?P<sign>[\u00ad\u180e\u200b\u202a-\u202e\u2060-\u2064\u2066-\u2069\U000e0000-\U000e007f])"
)


def _check(plan: Plan, declared: Declared) -> Iterator[Remark]:
    """The first of them in each line."""
    del declared
    if plan.text.isascii():
        return
    first = plan.document.tree.first_line
    for number, line in enumerate(re.split(r"\r\n|\r|\n", plan.text), first):
        for match in _DECEPTIVE.finditer(line):
            if match["sign"]:
                yield _remark(Place(number, match.start() + 1), match["sign"])
                break


def _remark(place: Place, sign: str) -> Remark:
    return Remark(
        place,
        "a character that no editor shows",
        found=f"U+{ord(sign):04X} {unicodedata.name(sign, '')}".rstrip(),
        advice='Remove it; where it is wanted, write it as an escape in double quotes: "\\u200B".',
    )


RULE = Rule(
    code="BC142",
    name="deceptive-character",
    severity=Severity.WARNING,
    finds="A character that has no width or turns the direction of writing, anywhere in the file.",
    why=(
        "A reviewer cannot see it, and a model reads it: text can be hidden from people, shown in "
        "another order, or made to differ from what it looks like. Copied from a web page it costs "
        "tokens and makes two names that look alike two names."
    ),
    instead="Remove it, or write it as an escape in double quotes, where everyone can see it.",
    bad="""\
kind: context
name: support
messages:
  - {type: system, content: "Be friendly.\u200b"} # <- BC142
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
messages:
  - {type: system, content: "Be friendly."}
  - {type: user, content: "{input.question}"}
""",
    check=_check,
)
