"""BC149: an editor schema that does not exist."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.reading.yaml.tree import Place

_MODELINE = re.compile(r"#\s*yaml-language-server:\s*\$schema=(?P<target>\S+)")
_ASIDE = ("#", "---")


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    """Looks where an editor would look; URLs are not checked."""
    del declared
    above = partial(islice, plan.lines, plan.document.line - 1)  # may be most of a large file
    if any(line.strip() and not line.startswith(_ASIDE) for line in above()):
        return  # reported for an earlier document
    folder = Path(plan.document.file).parent
    for number, line in enumerate(above(), 1):
        match = _MODELINE.match(line)
        if match and "://" not in match["target"] and not (folder / match["target"]).is_file():
            yield Violation(
                Place(number, match.start("target") + 1),
                "the schema file does not exist",
                found=match["target"],
                advice="Write the path relative to this file; 'biblicus-context schema' prints a schema.",
            )


RULE = Rule(
    code="BC149",
    name="missing-schema",
    severity=Severity.WARNING,
    finds="A comment `# yaml-language-server: $schema=...` names a file that does not exist.",
    why="Editors then check and complete nothing, and most of them do so silently.",
    instead="Write the path of the schema relative to this file, or remove the comment.",
    bad="""\
# yaml-language-server: $schema=../no-such-folder/project.schema.json # <- BC149
kind: context
name: support
messages:
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
messages:
  - {type: user, content: "{input.question}"}
""",
    check=_check,
)
