"""BC142: a character that editors do not show."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.reading.yaml.tree import Place

# Joiners and direction marks belong to many scripts, and tag characters to some flags, so they
# are not listed here.
_FLAG = "\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f"
_DECEPTIVE = re.compile(
    f"{_FLAG}|(?P<sign>[\u00ad\u180e\u200b\u202a-\u202e\u2060-\u2064\u2066-\u2069\U000e0000-\U000e007f])"
)


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    """The first hidden character in each line."""
    del declared
    for path, file in plan.document.text_files.items():
        found = next((match for match in _DECEPTIVE.finditer(file.text) if match["sign"]), None)
        if found is not None:
            yield plan.in_text_file(
                path,
                found.start(),
                "hidden character",
                found=_named(found["sign"]),
                advice="Remove it, or write the text in the plan, with an escape in double quotes.",
            )
    if plan.text.isascii():
        return
    first = plan.document.tree.first_line
    for number, line in enumerate(re.split(r"\r\n|\r|\n", plan.text), first):
        for match in _DECEPTIVE.finditer(line):
            if match["sign"]:
                yield _violation(Place(number, match.start() + 1), match["sign"])
                break


def _violation(place: Place, sign: str) -> Violation:
    return Violation(
        place,
        "hidden character",
        found=_named(sign),
        advice='Remove it, or write it as an escape in double quotes, such as "\\u200B".',
    )


def _named(sign: str) -> str:
    return f"U+{ord(sign):04X} {unicodedata.name(sign, '')}".rstrip()


RULE = Rule(
    code="BC142",
    name="hidden-character",
    severity=Severity.WARNING,
    finds="The file contains a character that has no width or changes the writing direction.",
    why=(
        "A model reads the character, but a reviewer does not see it. It can hide text, show text "
        "in another order, and make two equal-looking names different."
    ),
    instead="Remove the character, or write it as an escape in double quotes, where it is visible.",
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
    depends_on=frozenset(),
)
